// Written by `npm run client` from the error table of the services. Do not edit.

/** Every failure of the API by its name: status, text, code. */
export const ERRORS = {
  accountDoesNotExist: [404,"User does not exist, please create a new account.","RESOURCE_NOT_FOUND"],
  invalidCredentials: [401,"Invalid credentials","INVALID_CREDENTIALS"],
  accountNotVerified: [403,"Account not verified","ACCOUNT_NOT_VERIFIED"],
  ssoRequired: [403,"Your organization requires single sign-on. Please log in through your identity provider.","SSO_REQUIRED"],
  secondFactorRequired: [403,"Second factor required","SECOND_FACTOR_REQUIRED"],
  factorTokenInvalid: [401,"The login has expired, please log in again","INVALID_TOKEN"],
  codeInvalid: [401,"Invalid code","INVALID_CREDENTIALS"],
  passkeyInvalid: [401,"The passkey was not accepted","INVALID_CREDENTIALS"],
  passkeyTokenInvalid: [400,"The request for a passkey has expired, please try again","INVALID_FORMAT"],
  confirmationRequired: [403,"Please confirm that it is you","CONFIRMATION_REQUIRED"],
  enrollmentRequired: [403,"The organization requires a second factor. Please set one up in your profile and try again.","ENROLLMENT_REQUIRED"],
  supportSessionReadOnly: [403,"A read-only support session changes nothing","SUPPORT_SESSION_READ_ONLY"],
  supportSessionRefused: [403,"Only the person themselves may do this","SUPPORT_SESSION_REFUSED"],
  operatorFactorRequired: [403,"Operators need a second factor in this session. Please confirm with a code or a passkey; set one up in your profile if you have none.","OPERATOR_FACTOR_REQUIRED"],
  captchaFailed: [400,"reCAPTCHA validation failed","CAPTCHA_REQUIRED"],
  emailRegistered: [400,"Email already registered","DUPLICATE_RESOURCE"],
  userNotFound: [404,"User not found","RESOURCE_NOT_FOUND"],
  otpExpired: [400,"OTP expired","INVALID_FORMAT"],
  otpInvalid: [400,"Invalid OTP","INVALID_FORMAT"],
  otpInvalidOrExpired: [400,"Invalid or expired OTP","INVALID_FORMAT"],
  linkInvalid: [400,"The link is not valid any more","INVALID_FORMAT"],
  missingField: [400,"A required field is missing","MISSING_FIELD"],
  invalidFormat: [400,"The request is malformed","INVALID_FORMAT"],
  noAuthorizationHeader: [401,"No authorization header","INVALID_TOKEN"],
  tokenExpired: [401,"Token expired","INVALID_TOKEN"],
  invalidToken: [401,"Invalid token","INVALID_TOKEN"],
  forbidden: [403,"Forbidden","FORBIDDEN"],
  foreignOrigin: [403,"A call with the session cookie must come from a page of an allowed origin","ORIGIN_NOT_ALLOWED"],
  duplicate: [409,"Resource already exists","DUPLICATE_RESOURCE"],
  lastOwner: [409,"Hand over or archive every organization that nobody else can lead","LAST_OWNER"],
  lastAdmin: [409,"Please make another operator an admin first","LAST_ADMIN"],
  lastWayIn: [409,"Nothing else opens the account. Please set a password or add another way to log in first.","LAST_WAY_IN"],
  notFound: [404,"Not found","RESOURCE_NOT_FOUND"],
  rangeNotSatisfiable: [416,"Range not satisfiable","INVALID_FORMAT"],
  rateLimited: [429,"Too many requests","RATE_LIMIT_EXCEEDED"],
  unavailable: [503,"Service unavailable","SERVICE_UNAVAILABLE"],
  internal: [500,"Internal server error","INTERNAL_ERROR"],
} as const;

/** The details of failures that say how to go on. */
export interface ErrorDetails {
  secondFactorRequired: { factor_token: string; methods: string[] };
  confirmationRequired: { methods: string[] };
  operatorFactorRequired: { methods: string[] };
  enrollmentRequired: { organization_id: string };
  lastOwner: { organizations: { organization_id: string; name: string }[]; departments: unknown[] };
}
