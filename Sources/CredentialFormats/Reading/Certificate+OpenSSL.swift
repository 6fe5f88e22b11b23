internal import COpenSSL
import Foundation
import PushModel

extension Certificate {
    /// Creates a certificate from DER, or returns `nil` if the bytes do not begin with a certificate.
    package init?(der: [UInt8]) {
        defer { ERR_clear_error() }
        guard let certificate = der.withDERPointer({ d2i_X509(nil, $0, $1) }) else { return nil }
        defer { X509_free(certificate) }
        self.init(certificate)
    }

    /// Creates a certificate from OpenSSL's object, or returns `nil` if a part of it is unreadable.
    ///
    /// - Parameter certificate: an X509, which the caller still owns.
    init?(_ certificate: OpaquePointer) {
        guard let der = encoded({ i2d_X509(certificate, $0) }), let subject = X509_get_subject_name(certificate),
            let subjectDER = encoded({ i2d_X509_NAME(subject, $0) }),
            let issuerDER = encoded({ i2d_X509_NAME(X509_get_issuer_name(certificate), $0) }),
            let notBefore = Timestamp(X509_get0_notBefore(certificate)),
            let notAfter = Timestamp(X509_get0_notAfter(certificate))
        else { return nil }
        func name(_ identifier: Int32) -> String? {
            let index = X509_NAME_get_index_by_NID(subject, identifier, -1)
            return index < 0 ? nil : OpenSSLText.text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)))
        }
        self.init(
            der: der, publicKeyDER: X509_get0_pubkey(certificate).flatMap(subjectPublicKeyInfo(of:)) ?? [],
            subjectDER: subjectDER, issuerDER: issuerDER, commonName: name(NID_commonName),
            organizationalUnit: name(NID_organizationalUnitName), userID: name(NID_userId), notBefore: notBefore,
            notAfter: notAfter, extensions: Self.extensions(of: certificate))
    }

    private static func extensions(of certificate: OpaquePointer) -> [String: [UInt8]] {
        var extensions: [String: [UInt8]] = [:]
        for index in 0..<max(0, X509_get_ext_count(certificate)) {
            guard let found = X509_get_ext(certificate, index) else { continue }
            var name = [CChar](repeating: 0, count: 128)
            // Numeric identifiers make the result independent of OpenSSL's names.
            let length = OBJ_obj2txt(&name, Int32(name.count), X509_EXTENSION_get_object(found), 1)
            guard length > 0, Int(length) < name.count else { continue }
            let identifier = String(decoding: name.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            extensions[identifier] = OpenSSLText.bytes(X509_EXTENSION_get_data(found)) ?? []
        }
        return extensions
    }
}

extension Timestamp {
    fileprivate init?(_ time: UnsafePointer<ASN1_TIME>?) {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        self.init(seconds: Int64(timegm(&parts)))
    }
}
