"""Measures what five million addresses of each kind cost in the token registry."""
from tokens import COUNT, Registry

KINDS = {"installation": "installation ids of 22 bytes", "device": "device tokens of 64", "registration": "registration tokens of 163",
         "endpoint": "endpoints of 600", "long-endpoint": "endpoints of 1,024"}
MARKED = 100_000


def measure_addresses(bench) -> None:
    for kind, name in KINDS.items():
        registry, path = Registry(bench, "com.example.bench", kind), bench.run.directory / "addresses.csv"
        bench.run.step(f"{COUNT} {name}: write them to a file")
        registry.write(path)
        bench.run.step(f"{COUNT} {name}: register, mark, look up")
        registry.register(path, f"{name}, new")
        registry.sql("VACUUM ANALYZE martlet.device_tokens")
        registry.row("  bytes of table and index",
                     f"{registry.size('pg_table_size') / COUNT:.0f} and {registry.size('pg_indexes_size') / COUNT:.0f} a row")
        registry.register(path, f"{name}, again, newer")
        registry.mark(0, MARKED, 10, 1, f"{name}, one worker")
        registry.mark(MARKED * 10, MARKED, 10, 4, f"{name}, four workers")
        registry.sql("VACUUM ANALYZE martlet.device_tokens")
        registry.screen(5, f"{name}, {2 * MARKED} dead")
        registry.row("  bytes of table and index after that",
                     f"{registry.size('pg_table_size') / COUNT:.0f} and {registry.size('pg_indexes_size') / COUNT:.0f} a row")
        registry.sql("TRUNCATE martlet.device_tokens")
        path.unlink()
