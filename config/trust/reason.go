package trust

// Reason is why a bundle is refused and, after a semicolon, the way out.
type Reason string

// About a bundle as a whole. Both are checked before anything is parsed.
const (
	// ReasonTooLarge: it has more than [MaxBytes], as written or in canonical form.
	ReasonTooLarge Reason = "the bundle is larger than 512 KiB; keep only the authorities that are needed"
	// ReasonTooManyCertificates: it has more than [MaxCertificates].
	ReasonTooManyCertificates Reason = "the bundle has more than 256 certificates; keep only the authorities that are needed"
)

// About what stands outside the blocks.
const (
	// ReasonByteOrderMark: some editors put one before UTF-8 text.
	ReasonByteOrderMark Reason = "the bundle begins with a byte order mark; save it as UTF-8 without one"
	// ReasonCarriageReturn: a line ends in LF or CRLF. Parsers do not agree on
	// what a CR alone is, so it is refused in blocks as well.
	ReasonCarriageReturn Reason = "a carriage return stands without a line feed; end lines in LF or CRLF"
	// ReasonOutsideBlocks: anything but space, tab, LF and CRLF.
	ReasonOutsideBlocks Reason = "something stands outside the blocks; keep CERTIFICATE blocks and white space, no comments"
	// ReasonEndWithoutBegin: half a block was cut off, or the BEGIN line is misspelt.
	ReasonEndWithoutBegin Reason = "an END line stands outside the blocks; put the whole block there"
)

// About the lines that a block is made of (RFC 7468).
const (
	// ReasonMalformedBegin: the line must be its label between dashes, no more.
	ReasonMalformedBegin Reason = "the BEGIN line is malformed; let -----BEGIN CERTIFICATE----- be all of the line"
	// ReasonPrivateKey: of any kind, encrypted or not.
	ReasonPrivateKey Reason = "the block holds a PRIVATE KEY; take it out of there, and replace the key if others could read it"
	// ReasonNotCertificateBlock: one of another label. OpenSSL's TRUSTED
	// CERTIFICATE is another format.
	ReasonNotCertificateBlock Reason = "the block is no CERTIFICATE; take it out of the bundle"
	// ReasonNestedBegin: an END line is missing, or a block was pasted into another.
	ReasonNestedBegin Reason = "a BEGIN line stands inside the block; end the block before it"
	// ReasonMismatchedEnd: it is of another label, indented or misspelt.
	ReasonMismatchedEnd Reason = "the END line does not match the BEGIN line; let -----END CERTIFICATE----- be all of the line"
	// ReasonBehindEnd: what comes of joining files whose last line has no end.
	ReasonBehindEnd Reason = "something stands behind the END line; begin a new line there"
	// ReasonMissingEnd: the bundle was cut off.
	ReasonMissingEnd Reason = "the block has no END line; put the whole block there"
	// ReasonHeader: as RFC 1421 has them, and RFC 7468 has not.
	ReasonHeader Reason = "the block has a header; keep only the lines of base64"
	// ReasonBase64: an empty line, white space and anything after the padding
	// included.
	ReasonBase64 Reason = "the block is not base64 throughout; copy it once more from where it came"
)

// About the certificate in a block.
const (
	// ReasonNotCertificate: what was decoded is not one certificate and nothing else.
	ReasonNotCertificate Reason = "the block holds no valid X.509 certificate; look at it with openssl x509 -text"
	// ReasonVersion: before version 3 a certificate cannot say whether it is an
	// authority's (RFC 5280, 4.2.1.9).
	ReasonVersion Reason = "the certificate is older than X.509 version 3; have the authority make a new one"
	// ReasonNotAuthority: basicConstraints are missing or say so (RFC 5280, 4.2.1.9).
	ReasonNotAuthority Reason = "the certificate is not an authority's; put that of its issuer there"
	// ReasonKeyUsage: keyUsage is there and does not allow to sign certificates
	// (RFC 5280, 4.2.1.3).
	ReasonKeyUsage Reason = "the certificate's key must not sign certificates; put an authority's there that has keyCertSign"
)
