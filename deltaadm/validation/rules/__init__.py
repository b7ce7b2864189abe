"""The rules, one module a topic; `deltaadm.validation.all_rules` imports them all."""
