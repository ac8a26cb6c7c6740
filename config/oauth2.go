package config

import (
	"net/url"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The grants of RFC 6749 that an [OAuth2] may ask for.
const (
	ClientCredentials = "ClientCredentials" // section 4.4, the default
	Password          = "Password"          // section 4.3
)

// OAuth2 is where the tokens come from that the handler shows to a server. What
// is secret is read from files, such as those of a mounted Secret: a ConfigMap is
// no place for it.
type OAuth2 struct {
	// Grant is ClientCredentials or Password; empty is the former.
	Grant string `json:"grant,omitempty" jsonschema:"enum=ClientCredentials,enum=Password"`
	// Issuer is an https URL that is asked for the token endpoint by OpenID Connect
	// Discovery. Either this or TokenURL is set.
	Issuer string `json:"issuer,omitempty" jsonschema:"pattern=^https://,oneof_required=issuer"`
	// TokenURL is the token endpoint, an https URL.
	TokenURL string `json:"tokenURL,omitempty" jsonschema:"pattern=^https://,oneof_required=tokenURL"`
	// ClientID is who the handler is to the server.
	ClientID string `json:"clientID,omitempty" jsonschema:"required,minLength=1"`
	// ClientSecretFile is an absolute path. With Password it may be absent, for a
	// public client.
	ClientSecretFile string `json:"clientSecretFile,omitempty" jsonschema:"pattern=^/"`
	// Username is for Password.
	Username string `json:"username,omitempty"`
	// PasswordFile is an absolute path, for Password.
	PasswordFile string `json:"passwordFile,omitempty" jsonschema:"pattern=^/"`
	// Scopes are asked for, where the server wants to be told.
	Scopes []string `json:"scopes,omitempty"`
	// Audience is sent as the parameter of that name, which some servers want.
	Audience string `json:"audience,omitempty"`
}

func (o *OAuth2) validate(at *field.Path) field.ErrorList {
	if o == nil {
		return nil
	}
	faults := o.validateEndpoint(at)
	if o.ClientID == "" {
		faults = append(faults, field.Required(at.Child("clientID"), "write who the handler is to the server"))
	}
	switch o.Grant {
	case "", ClientCredentials:
		faults = append(faults, o.validateClientCredentials(at)...)
	case Password:
		faults = append(faults, o.validatePassword(at)...)
	default:
		faults = append(faults, only(at.Child("grant"), o.Grant, ClientCredentials, Password)...)
	}
	return append(faults, o.validateFiles(at)...)
}

func (o *OAuth2) validateClientCredentials(at *field.Path) field.ErrorList {
	var faults field.ErrorList
	if o.ClientSecretFile == "" {
		faults = append(faults, field.Required(at.Child("clientSecretFile"), "write the absolute path of a file"))
	}
	if o.Username != "" {
		faults = append(faults, field.Forbidden(at.Child("username"), "it is for grant: "+Password))
	}
	if o.PasswordFile != "" {
		faults = append(faults, field.Forbidden(at.Child("passwordFile"), "it is for grant: "+Password))
	}
	return faults
}

func (o *OAuth2) validatePassword(at *field.Path) field.ErrorList {
	var faults field.ErrorList
	if o.Username == "" {
		faults = append(faults, field.Required(at.Child("username"), "grant: "+Password+" wants it"))
	}
	if o.PasswordFile == "" {
		faults = append(faults, field.Required(at.Child("passwordFile"), "grant: "+Password+" wants the absolute path of a file"))
	}
	return faults
}

func (o *OAuth2) validateFiles(at *field.Path) field.ErrorList {
	var faults field.ErrorList
	if o.ClientSecretFile != "" {
		faults = append(faults, absolute(at.Child("clientSecretFile"), o.ClientSecretFile)...)
	}
	if o.PasswordFile != "" {
		faults = append(faults, absolute(at.Child("passwordFile"), o.PasswordFile)...)
	}
	return faults
}

func (o *OAuth2) validateEndpoint(at *field.Path) field.ErrorList {
	switch {
	case o.Issuer == "" && o.TokenURL == "":
		return field.ErrorList{field.Required(at, "write one of issuer and tokenURL")}
	case o.Issuer != "" && o.TokenURL != "":
		return field.ErrorList{field.Forbidden(at.Child("tokenURL"), "write one of issuer and tokenURL")}
	case o.Issuer != "":
		return validateURL(at.Child("issuer"), o.Issuer)
	}
	return validateURL(at.Child("tokenURL"), o.TokenURL)
}

// validateURL does not repeat the text: it may hold a password.
func validateURL(at *field.Path, text string) field.ErrorList {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "want an https URL without a user and a fragment")}
	}
	return nil
}
