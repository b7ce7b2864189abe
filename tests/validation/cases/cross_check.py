"""DL98x: tables that deltalake reads otherwise, or not at all."""


from tests.support.rule_cases import breaks, respects
from tests.support.tables import add, commit, commit_info, draft, metadata, protocol, remove

INFO = commit_info()
START = (INFO, protocol(), metadata())


breaks("DL981 DL105", "a commit has a short name",
    draft(commit(*START)).write("1.json", commit(INFO, add("a"))), depth="cross-check")
respects("DL981 DL122", "another file has a short name",
    draft(commit(*START)).write("1.txt", commit(INFO, add("a"))), depth="cross-check")

breaks("DL982 DL112", "a commit has two protocols",
    draft(commit(*START, protocol(1, 1))), depth="cross-check")
respects("DL982", "two commits have a protocol each",
    draft(commit(*START), commit(INFO, protocol(1, 3))), depth="cross-check")

breaks("DL983 DL112", "a commit has two names",
    draft(commit(*START, metadata(name="other"))), depth="cross-check")
respects("DL983", "a later commit has another name",
    draft(commit(*START), commit(INFO, metadata(name="other", description=""))),
        depth="cross-check")

breaks("DL984", "a removed path is escaped otherwise",
    draft(commit(*START), commit(INFO, add("%c3%a9")), commit(INFO, remove("%C3%A9"))),
        depth="cross-check")
respects("DL984", "a removed path is escaped alike",
    draft(commit(*START), commit(INFO, add("a%20b")), commit(INFO, remove("a%20b"))),
        depth="cross-check")

breaks("DL985", "a property is null",
    draft(commit(INFO, protocol(), metadata({"owner": None}))), depth="cross-check")
respects("DL985", "a property is empty",
    draft(commit(INFO, protocol(), metadata({"owner": ""}))), depth="cross-check")
