/// The object ids of built-in types (PostgreSQL source, `pg_type.dat`). They never change.
enum TypeOID {
    static let unspecified: UInt32 = 0
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let bigint: UInt32 = 20
    static let smallint: UInt32 = 21
    static let int: UInt32 = 23
    static let text: UInt32 = 25
    static let byteaArray: UInt32 = 1001
    static let textArray: UInt32 = 1009
    static let bigintArray: UInt32 = 1016
    static let varchar: UInt32 = 1043
    static let timestamptz: UInt32 = 1184
    static let timestamptzArray: UInt32 = 1185
    static let uuid: UInt32 = 2950

    private static let names: [UInt32: String] = [
        bool: "boolean", bytea: "bytea", name: "name", bigint: "bigint", smallint: "smallint", int: "integer",
        text: "text", byteaArray: "bytea[]", textArray: "text[]", bigintArray: "bigint[]", varchar: "varchar",
        timestamptz: "timestamptz", timestamptzArray: "timestamptz[]", uuid: "uuid",
    ]

    static func describe(_ oid: UInt32) -> String { names[oid] ?? "the type with OID \(oid)" }
}
