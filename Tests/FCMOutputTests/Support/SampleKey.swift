import CryptoExtras

/// An RSA private key in PEM form, generated for this run.
let sampleKeyPEM: String = (try? _RSA.Signing.PrivateKey(keySize: .bits2048))?.pkcs8PEMRepresentation ?? ""
