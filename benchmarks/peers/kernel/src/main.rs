//! What a Rust program on delta-kernel needs for the same answers: `kernel-peer protocol|files TABLE`.

use std::sync::Arc;

use delta_kernel::object_store::local::LocalFileSystem;
use delta_kernel::Snapshot;
use delta_kernel_default_engine::DefaultEngineBuilder;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (question, table) = (&arguments[1], &arguments[2]);
    let location = format!("file://{}/", std::fs::canonicalize(table)?.display());
    let engine = DefaultEngineBuilder::new(Arc::new(LocalFileSystem::new())).build();
    let snapshot = Snapshot::builder_for(location).build(&engine)?;
    if question == "protocol" {
        println!("{} {:?}", snapshot.version(), snapshot.table_configuration());
        return Ok(());
    }
    let mut files = 0;
    for found in snapshot.scan_builder().build()?.scan_metadata(&engine)? {
        let found = found?;
        let skipped = found.scan_files.selection_vector().iter().filter(|one| !**one).count();
        files += found.scan_files.data().len() - skipped;
    }
    println!("{files}");
    Ok(())
}
