import CryptoExtras

/// Made for this run.
let sampleKeyPEM: String = (try? _RSA.Signing.PrivateKey(keySize: .bits2048))?.pkcs8PEMRepresentation ?? ""
