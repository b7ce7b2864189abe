"""Delta's values: schemas, metadata, actions, protocols, features, properties and snapshots."""
