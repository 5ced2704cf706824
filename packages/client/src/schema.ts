// Written by `npm run client` from the OpenAPI document of the gateway. Do not edit.

import type { Failure } from './failure.ts';

export interface paths {
  "/api/v1/auth/login": {
    /**
     * Log in
     * @description Checks an e-mail and a password and returns a token that is valid for one hour. The error does not reveal whether the e-mail is known.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            email: string;
            password: string;
            /** @description The CAPTCHA token; required after failed logins, when the gateway answers CAPTCHA_REQUIRED */
            recaptcha_token?: string;
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/login/factor": {
    /**
     * Log in with the second factor
     * @description Completes a login that was answered with SECOND_FACTOR_REQUIRED. The code is from the authenticator app, or an unused recovery code. `passkey_token` and `credential` replace it for a passkey. Five wrong codes in 15 minutes lead to 429 for the account.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description From `details` of the refused login; valid for five minutes */
            factor_token: string;
            code?: string;
            /** @description From the options; valid once, for two minutes */
            passkey_token?: string;
            /** @description The answer of `navigator.credentials.get()` as JSON */
            credential?: {
              id: string;
              rawId: string;
              /** @enum {string} */
              type: "public-key";
              /** @default {} */
              clientExtensionResults?: Record<string, never>;
              response: {
                clientDataJSON: string;
                authenticatorData: string;
                signature: string;
                userHandle?: string;
              };
            };
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/login/passkey/options": {
    /**
     * Request options to log in with a passkey
     * @description Returns options for `navigator.credentials.get()` and stores nothing. Without a `factor_token` the options are the same for everybody. 404 if passkeys are off, or if the account has none.
     */
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @description From a login that waits for its second factor; the passkey then completes it */
            factor_token?: string;
          };
        };
      };
      responses: {
        /** @description The options for the browser */
        200: {
          content: {
            "application/json": {
              /** @description To be sent with the answer, within two minutes */
              passkey_token: string;
              /** @description For `navigator.credentials.get()`, as `PublicKeyCredentialRequestOptionsJSON` */
              options: {
                challenge: string;
                rpId: string;
              } & {
                [key: string]: unknown;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/login/passkey": {
    /**
     * Log in with a passkey
     * @description Completes a login alone, also for an account with a second factor: the passkey must have verified the person. An unknown passkey and a wrong signature get the same answer.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description From the options; valid once, for two minutes */
            passkey_token: string;
            /** @description The answer of `navigator.credentials.get()` as JSON */
            credential: {
              id: string;
              rawId: string;
              /** @enum {string} */
              type: "public-key";
              /** @default {} */
              clientExtensionResults?: Record<string, never>;
              response: {
                clientDataJSON: string;
                authenticatorData: string;
                signature: string;
                userHandle?: string;
              };
            };
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/confirm": {
    /**
     * Confirm that it is you
     * @description Returns a token of the same session, valid as long as the one presented, with which calls that need a fresh session succeed for ten minutes. An account with a second factor confirms with a code, any other with the password; a passkey can replace either. A person who only logs in at a provider confirms by logging in there again. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            password?: string;
            code?: string;
            /** @description From the options; valid once, for two minutes */
            passkey_token?: string;
            /** @description The answer of `navigator.credentials.get()` as JSON */
            credential?: {
              id: string;
              rawId: string;
              /** @enum {string} */
              type: "public-key";
              /** @default {} */
              clientExtensionResults?: Record<string, never>;
              response: {
                clientDataJSON: string;
                authenticatorData: string;
                signature: string;
                userHandle?: string;
              };
            };
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/confirm/passkey/options": {
    /**
     * Request options to confirm with a passkey
     * @description Returns options for `navigator.credentials.get()` that name the passkeys of the account, and stores nothing. The answer goes to `POST /api/v1/auth/confirm` in the same session. 404 if the account has no passkey, or if passkeys are off. Concerns the caller alone.
     */
    post: {
      responses: {
        /** @description The options for the browser */
        200: {
          content: {
            "application/json": {
              /** @description To be sent with the answer, within two minutes */
              passkey_token: string;
              /** @description For `navigator.credentials.get()`, as `PublicKeyCredentialRequestOptionsJSON` */
              options: {
                challenge: string;
                rpId: string;
              } & {
                [key: string]: unknown;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/auth/refresh": {
    /**
     * Extend a session
     * @description Returns a token of the same session that is valid for one hour, or until the session reaches its maximum age. A session that began at an identity provider continues if the provider agrees. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/refresh": {
    /**
     * Extend a session
     * @description Returns a token of the same session that is valid for one hour, or until the session reaches its maximum age. A session that began at an identity provider continues if the provider agrees. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/auth/logout": {
    /**
     * End a session
     * @description Refuses every token of the session from now on. Concerns the caller alone.
     */
    post: {
      responses: {
        /** @description The session has ended. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Logged out";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/logout": {
    /**
     * End a session
     * @description Refuses every token of the session from now on. Concerns the caller alone.
     */
    post: {
      responses: {
        /** @description The session has ended. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Logged out";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me": {
    /**
     * Read your own profile
     * @description Returns the user that the token identifies. Concerns the caller alone.
     */
    get: {
      responses: {
        /** @description The profile */
        200: {
          content: {
            "application/json": {
              email: string;
              name: string;
              verified: boolean;
              user_id: string | null;
              account_status: string;
              payment_status: string;
              "user_created_at(DATE)": string;
              subscription_id: string;
              subscription_date: string;
              subscription_plan: string | null;
              subscription_expiry: string | null;
              created_at: string | null;
              last_login: string | null;
              phone: string | null;
              company: string | null;
              role: string | null;
              /** @description The language of mails; null for English on an older account */
              language: ("en" | "de" | "es") | null;
              /** @description The path of the picture at the gateway */
              picture: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Delete your own account
     * @description Asks for the deletion of the account and ends all its sessions. Until `due_at` any login restores it; then a job deletes it for good, with what only it owned. It is 409 while the caller is the last Owner who can act of an organization that is not archived; `details` lists them. Departments are no obstacle. Accounts whose deletion is pending do not count as others. Ten requests in an hour lead to 429. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      responses: {
        /** @description The deletion is pending */
        202: {
          content: {
            "application/json": {
              /** Format: date-time */
              requested_at: string;
              /**
               * Format: date-time
               * @description When the deletion begins
               */
              due_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change your own profile
     * @description Changes name, phone number, company and the language of mails. `null` removes the phone number or the company. Concerns the caller alone.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name?: string;
            phone?: string | null;
            company?: string | null;
            /** @enum {string} */
            language?: "en" | "de" | "es";
          };
        };
      };
      responses: {
        /** @description The profile */
        200: {
          content: {
            "application/json": {
              email: string;
              name: string;
              verified: boolean;
              user_id: string | null;
              account_status: string;
              payment_status: string;
              "user_created_at(DATE)": string;
              subscription_id: string;
              subscription_date: string;
              subscription_plan: string | null;
              subscription_expiry: string | null;
              created_at: string | null;
              last_login: string | null;
              phone: string | null;
              company: string | null;
              role: string | null;
              /** @description The language of mails; null for English on an older account */
              language: ("en" | "de" | "es") | null;
              /** @description The path of the picture at the gateway */
              picture: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/picture": {
    /**
     * Set your own picture
     * @description Replaces the picture of the profile: a PNG, JPEG or WebP image of at most 100 KiB and 1024 by 1024 pixels, in Base64. Concerns the caller alone.
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /**
             * Format: byte
             * @description The image in Base64 (RFC 4648 §4)
             */
            picture: string;
          };
        };
      };
      responses: {
        /** @description The profile */
        200: {
          content: {
            "application/json": {
              email: string;
              name: string;
              verified: boolean;
              user_id: string | null;
              account_status: string;
              payment_status: string;
              "user_created_at(DATE)": string;
              subscription_id: string;
              subscription_date: string;
              subscription_plan: string | null;
              subscription_expiry: string | null;
              created_at: string | null;
              last_login: string | null;
              phone: string | null;
              company: string | null;
              role: string | null;
              /** @description The language of mails; null for English on an older account */
              language: ("en" | "de" | "es") | null;
              /** @description The path of the picture at the gateway */
              picture: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Remove your own picture
     * @description Removes the picture of the profile. Without one, nothing changes. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      responses: {
        /** @description The profile */
        200: {
          content: {
            "application/json": {
              email: string;
              name: string;
              verified: boolean;
              user_id: string | null;
              account_status: string;
              payment_status: string;
              "user_created_at(DATE)": string;
              subscription_id: string;
              subscription_date: string;
              subscription_plan: string | null;
              subscription_expiry: string | null;
              created_at: string | null;
              last_login: string | null;
              phone: string | null;
              company: string | null;
              role: string | null;
              /** @description The language of mails; null for English on an older account */
              language: ("en" | "de" | "es") | null;
              /** @description The path of the picture at the gateway */
              picture: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/pictures/{picture_id}": {
    /**
     * Read a picture
     * @description Returns the image that a profile names. A picture never changes, so browsers keep it; one that was replaced or removed is 404.
     */
    get: {
      parameters: {
        path: {
          picture_id: string;
        };
      };
      responses: {
        /** @description The image */
        200: {
          content: {
            "image/png": string;
            "image/jpeg": string;
            "image/webp": string;
            "application/json": string;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/password": {
    /**
     * Change your own password
     * @description Replaces the password and ends every other session. An account that logs in at a provider only sets its first password here. Ten changes in an hour lead to 429. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            new_password: string;
          };
        };
      };
      responses: {
        /** @description The new password is valid, and only the current session continues. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Password changed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/email": {
    /**
     * Ask for another e-mail address
     * @description Mails a code to the new address, valid for 15 minutes, and a notice to the current one. A further call replaces the code. The answer does not tell whether the address has an account. Ten calls in an hour lead to 429. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            email: string;
          };
        };
      };
      responses: {
        /** @description A mail is on its way to the new address. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Code sent";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/email/verify": {
    /**
     * Change your own e-mail address
     * @description Changes the address with the code that was mailed to the new one, and ends every other session. Returns a token of the same session, because tokens hold the address: the one presented is refused from now on. Five wrong codes invalidate the code. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            code: string;
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/email/undo": {
    /**
     * Undo the change of an e-mail address
     * @description Sets the address of an account back to the one whose mailbox holds the link, within three days. Ends every session, and makes the password invalid: a new one is set with a code of forgot-password. Later changes are undone with it, and a second factor and passkeys that were added since the change end. A link works once.
     */
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @description From the link in the mail */
            token: string;
          };
        };
      };
      responses: {
        /** @description The account has its former address again. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Address restored";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/audit": {
    /**
     * List your own audit events
     * @description Lists what you did, what was attempted with your e-mail address, and what others changed about you, newest first. The e-mail and network addresses of others are null. `search` matches the actions. Concerns the caller alone.
     */
    get: {
      parameters: {
        query?: {
          action?: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
          page?: number;
          limit?: number;
          sort_by?: "at";
          order?: "asc" | "desc";
          search?: string;
          /** @description Events at this time or later */
          from?: string;
          /** @description Events before this time */
          to?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                event_id: string;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                action: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
                /** @description `success`, or why the attempt was refused */
                outcome: string;
                /** @description The account that acted, or that a call without a bearer names; nulls for a service of the platform */
                actor: {
                  user_id: string | null;
                  email: string | null;
                  /** @description The machine key that was used */
                  key_id?: string;
                };
                /** @description Whom or what the action changed, apart from the actor */
                target: {
                  user_id?: string;
                  email?: string;
                  chatbot_id?: string;
                  invitation_id?: string;
                  webhook_id?: string;
                  session_id?: string;
                  connection_id?: string;
                  domain_id?: string;
                  export_id?: string;
                  key_id?: string;
                  service_account_id?: string;
                };
                /** @description The changed fields, before; never a secret */
                before: {
                  [key: string]: string | string[] | null;
                } | null;
                /** @description The changed fields, after; never a secret */
                after: {
                  [key: string]: string | string[] | null;
                } | null;
                organization_id: string | null;
                department_id: string | null;
                /** @description The address of the client */
                address: string | null;
                request_id: string;
                /** @description The user_id of the operator who acted as the actor, in a support session */
                operator?: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/data": {
    /**
     * Download your own data
     * @description Streams what the service keeps about the caller as one file: profile, other addresses, second factor, live sessions, organizations with roles, chatbots, invitations, webhooks, identities at providers of organizations, links to other providers, and the caller’s audit events. It holds no password, secret, code or digest. 3 downloads a day, also those that break off; a mail tells of the first one. HEAD counts none. Concerns the caller alone.
     */
    get: {
      responses: {
        /** @description The data of the caller */
        200: {
          content: {
            "application/json": {
              /** Format: date-time */
              exported_at: string;
              /** @description The profile */
              profile: {
                email: string;
                name: string;
                verified: boolean;
                user_id: string | null;
                account_status: string;
                payment_status: string;
                "user_created_at(DATE)": string;
                subscription_id: string;
                subscription_date: string;
                subscription_plan: string | null;
                subscription_expiry: string | null;
                created_at: string | null;
                last_login: string | null;
                phone: string | null;
                company: string | null;
                role: string | null;
                /** @description The language of mails; null for English on an older account */
                language: ("en" | "de" | "es") | null;
                /** @description The path of the picture at the gateway */
                picture: string | null;
              };
              /** @description The picture; null without one */
              picture: {
                type: string;
                /** @description The image in Base64 */
                content: string;
                /** Format: date-time */
                created_at: string;
              } | null;
              addresses: {
                /** @description The address that the account is to get once a code confirms it */
                pending: {
                  email: string;
                  /** Format: date-time */
                  expires_at: string;
                } | null;
                /** @description The addresses that can undo a change, until when */
                former: {
                  email: string;
                  /** Format: date-time */
                  until: string;
                }[];
              };
              /** @description What protects the account besides the password */
              second_factor: {
                /** @description The authenticator app; null without one */
                totp: {
                  /** Format: date-time */
                  enrolled_at: string;
                } | null;
                recovery_codes_left: number;
                /** @description When the second factor ends, because an operator has been asked to reset it; null unless that is to come. A code, used before, cancels it. */
                reset_at: string | null;
              };
              passkeys: {
                passkey_id: string;
                name: string;
                /**
                 * @description `synced`: copied among devices by a password manager; `security_key`: on a key that is plugged in or held to the device; `device`: on one device
                 * @enum {string}
                 */
                device_family: "synced" | "security_key" | "device";
                /** @description The password manager or system, as the device reports it; null if it is not one of the most common */
                provider: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour; null until the first use */
                last_used_at: string | null;
              }[];
              keys: {
                /** @description The part of the key between `gh_` and the second `_` */
                key_id: string;
                name: string;
                permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
                /** @description In CIDR notation; empty: the key works everywhere */
                networks: string[];
                /** @description Null: the key does not expire */
                expires_at: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description The user_id of whoever made it */
                created_by: string;
                /** @description To the hour; null until the first use */
                last_used_at: string | null;
                rotated_at: string | null;
                /** @description Until when the secret before the last rotation works as well */
                overlap_until: string | null;
              }[];
              sessions: {
                /** @description Names the session; it is not a credential */
                session_id: string;
                /** @description What the person calls the device */
                name: string | null;
                /** @description The browser or program and the operating system by name, null if unknown, and the first 300 characters of the `User-Agent` header */
                device: {
                  browser: string | null;
                  os: string | null;
                  user_agent: string;
                };
                /** @description The address of the client at the last use */
                address: string;
                /** @description The approximate place of the address, null if it is unknown: the country by ISO 3166-1 and the city in English */
                place: {
                  country: string;
                  city: string | null;
                } | null;
                /** Format: date-time */
                began_at: string;
                /**
                 * Format: date-time
                 * @description When the session began or was last extended; of the current session, now
                 */
                last_used_at: string;
                /** @description Whether this call belongs to the session */
                current: boolean;
                /** @description The operator whose session it is, by their user_id */
                support?: {
                  /** @enum {string} */
                  mode: "read" | "full";
                  operator: string;
                };
              }[];
              organizations: {
                organization_id: string;
                name: string;
                /** @description `Owner` of the organization, or null */
                role: "Owner" | null;
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
                departments: {
                  department_id: string;
                  name: string;
                  /** @enum {string} */
                  role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                  /** Format: date-time */
                  archived_at?: string;
                  /**
                   * Format: date-time
                   * @description When the archived place is deleted for good
                   */
                  deletes_at?: string;
                }[];
              }[];
              shared_chatbots: {
                chatbot_id: string;
                name: string;
                owner_id: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
              }[];
              invitations: {
                invitation_id: string;
                organization_id: string;
                organization_name: string;
                department_id: string | null;
                /** @description Null for an offer to become an Owner of the organization */
                department_name: string | null;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                /** @description Whether the Owner who made the offer then stops being one */
                transfer: boolean;
                /** @description The invited address; null for an invitation by user_id */
                email: string | null;
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                /** Format: date-time */
                expires_at: string;
              }[];
              chatbots: {
                chatbot_id: string;
                name: string;
                /** @enum {string} */
                type: "3d" | "text" | "voice";
                avatar_id: string;
                /** @description BCP 47 */
                language: string;
                /** @enum {string} */
                status: "active" | "paused";
                owner_id: string;
                organization_id: string | null;
                department_id: string | null;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
              }[];
              webhooks: {
                webhook_id: string;
                name: string | null;
                description: string | null;
                url: string;
                events: string[];
                chatbot_ids: string[];
                /** @description The names of the custom headers */
                headers: string[];
                status: string;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
              }[];
              identities: {
                connection_id: string;
                connection_name: string | null;
                /** @description Null until the first login */
                subject: string | null;
                /** @description The address that the provider sent */
                email: string;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour */
                last_login_at: string | null;
              }[];
              links: {
                link_id: string;
                provider: string;
                /** @description The address that the provider sent */
                email: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour */
                last_login_at: string | null;
                /** @description The issuer and the subject of the person at the provider */
                identity: string;
              }[];
              audit: {
                event_id: string;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                action: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
                /** @description `success`, or why the attempt was refused */
                outcome: string;
                /** @description The account that acted, or that a call without a bearer names; nulls for a service of the platform */
                actor: {
                  user_id: string | null;
                  email: string | null;
                  /** @description The machine key that was used */
                  key_id?: string;
                };
                /** @description Whom or what the action changed, apart from the actor */
                target: {
                  user_id?: string;
                  email?: string;
                  chatbot_id?: string;
                  invitation_id?: string;
                  webhook_id?: string;
                  session_id?: string;
                  connection_id?: string;
                  domain_id?: string;
                  export_id?: string;
                  key_id?: string;
                  service_account_id?: string;
                };
                /** @description The changed fields, before; never a secret */
                before: {
                  [key: string]: string | string[] | null;
                } | null;
                /** @description The changed fields, after; never a secret */
                after: {
                  [key: string]: string | string[] | null;
                } | null;
                organization_id: string | null;
                department_id: string | null;
                /** @description The address of the client */
                address: string | null;
                request_id: string;
                /** @description The user_id of the operator who acted as the actor, in a support session */
                operator?: string;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/roles": {
    /**
     * List your own roles
     * @description Returns every organization and department in which the caller has a role, by name, and up to 100 personal chatbots of others to which they were granted access, the newest first. An Owner of an organization is Owner in each of its departments. Archived ones have `archived_at` and `deletes_at`. With `include=invitations`, the pending invitations to the caller as well. Concerns the caller alone.
     */
    get: {
      parameters: {
        query?: {
          include?: "invitations";
        };
      };
      responses: {
        /** @description The roles */
        200: {
          content: {
            "application/json": {
              user_id: string;
              organizations: {
                organization_id: string;
                name: string;
                /** @description `Owner` of the organization, or null */
                role: "Owner" | null;
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
                departments: {
                  department_id: string;
                  name: string;
                  /** @enum {string} */
                  role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                  /** Format: date-time */
                  archived_at?: string;
                  /**
                   * Format: date-time
                   * @description When the archived place is deleted for good
                   */
                  deletes_at?: string;
                }[];
              }[];
              /** @description The newest personal chatbots of others on which the caller has a role */
              shared_chatbots: {
                chatbot_id: string;
                name: string;
                owner_id: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
              }[];
              shared_chatbots_total: number;
              /** @description With `include=invitations`: the newest 100 invitations to the caller */
              invitations?: {
                invitation_id: string;
                organization_id: string;
                organization_name: string;
                department_id: string | null;
                /** @description Null for an offer to become an Owner of the organization */
                department_name: string | null;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                /** @description Whether the Owner who made the offer then stops being one */
                transfer: boolean;
                /** @description The invited address; null for an invitation by user_id */
                email: string | null;
                granted_by: string;
                /** @description The name of the inviter */
                granted_by_name: string | null;
                /** Format: date-time */
                granted_at: string;
                /** Format: date-time */
                expires_at: string;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/sessions": {
    /**
     * List your own sessions
     * @description Lists the sessions with a token that is still valid, the one used last first. `search` matches the name, the device, the address and the place. Concerns the caller alone.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "last_used_at" | "began_at";
          order?: "asc" | "desc";
          search?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                /** @description Names the session; it is not a credential */
                session_id: string;
                /** @description What the person calls the device */
                name: string | null;
                /** @description The browser or program and the operating system by name, null if unknown, and the first 300 characters of the `User-Agent` header */
                device: {
                  browser: string | null;
                  os: string | null;
                  user_agent: string;
                };
                /** @description The address of the client at the last use */
                address: string;
                /** @description The approximate place of the address, null if it is unknown: the country by ISO 3166-1 and the city in English */
                place: {
                  country: string;
                  city: string | null;
                } | null;
                /** Format: date-time */
                began_at: string;
                /**
                 * Format: date-time
                 * @description When the session began or was last extended; of the current session, now
                 */
                last_used_at: string;
                /** @description Whether this call belongs to the session */
                current: boolean;
                /** @description The operator whose session it is, by their user_id */
                support?: {
                  /** @enum {string} */
                  mode: "read" | "full";
                  operator: string;
                };
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * End all your other sessions
     * @description Refuses every token of the caller’s other sessions from now on, listed or not. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      responses: {
        /** @description Only the current session continues. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Other sessions ended";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/sessions/{session_id}": {
    /**
     * End one of your own sessions
     * @description Refuses every token of the session from now on. Ending the current session logs out. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          session_id: string;
        };
      };
      responses: {
        /** @description The session has ended. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Session ended";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Name the device of a session
     * @description Gives the device of one of your own sessions a name. `null` removes the name. Concerns the caller alone.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          session_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string | null;
          };
        };
      };
      responses: {
        /** @description The session */
        200: {
          content: {
            "application/json": {
              /** @description Names the session; it is not a credential */
              session_id: string;
              /** @description What the person calls the device */
              name: string | null;
              /** @description The browser or program and the operating system by name, null if unknown, and the first 300 characters of the `User-Agent` header */
              device: {
                browser: string | null;
                os: string | null;
                user_agent: string;
              };
              /** @description The address of the client at the last use */
              address: string;
              /** @description The approximate place of the address, null if it is unknown: the country by ISO 3166-1 and the city in English */
              place: {
                country: string;
                city: string | null;
              } | null;
              /** Format: date-time */
              began_at: string;
              /**
               * Format: date-time
               * @description When the session began or was last extended; of the current session, now
               */
              last_used_at: string;
              /** @description Whether this call belongs to the session */
              current: boolean;
              /** @description The operator whose session it is, by their user_id */
              support?: {
                /** @enum {string} */
                mode: "read" | "full";
                operator: string;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/operator": {
    /**
     * Become the first operator
     * @description Makes the caller an operator of the level `admin` by the secret in the one-time link that `npx gatehouse operators link` prints. It works once, for an hour, and only while there is no operator. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description The secret in the fragment of the link */
            claim: string;
          };
        };
      };
      responses: {
        /** @description The operator */
        200: {
          content: {
            "application/json": {
              user_id: string;
              /** @enum {string} */
              level: "support" | "admin";
              /** Format: date-time */
              added_at: string;
              /** @description The user_id of an operator, or `command line` */
              added_by: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/login/code": {
    /**
     * Request a code to log in
     * @description Mails a code that is valid for 10 minutes, and a link with it, to the address of a verified account. It replaces earlier codes, each of which stays valid with its own token only. The answer is the same for every address. Each mailbox gets ten codes an hour and twenty unused login codes a day, ten of them from one client network. Each client network gets thirty an hour.
     */
    post: {
      requestBody: {
        content: {
          "application/json": {
            email: string;
          };
        };
      };
      responses: {
        /** @description If the address has a verified account, its code is on the way. The token belongs to this request and is never accepted as a bearer; `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              token: string;
              expires_in: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/login/code/verify": {
    /**
     * Log in with a mailed code
     * @description Uses the code. The answer is that of a login with a password. Five wrong guesses invalidate the code, and guesses with the token of the request are counted separately. The error does not reveal whether the e-mail is known.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            email: string;
            code: string;
            /** @description The token of the request. With it, the code stays valid when a later request replaces it. Guesses with it are counted separately. */
            token?: string;
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/factors": {
    /**
     * Read your own factors
     * @description Tells whether the account has a password and an authenticator app, and how many recovery codes are unused. With `include=ways`, its passkeys and links to providers as well. Concerns the caller alone.
     */
    get: {
      parameters: {
        query?: {
          include?: "ways";
        };
      };
      responses: {
        /** @description What protects the account */
        200: {
          content: {
            "application/json": {
              /** @description The authenticator app; null without one */
              totp: {
                /** Format: date-time */
                enrolled_at: string;
              } | null;
              recovery_codes_left: number;
              /** @description When the second factor ends, because an operator has been asked to reset it; null unless that is to come. A code, used before, cancels it. */
              reset_at: string | null;
              /** @description Oldest first; only with `include=ways` */
              passkeys?: {
                passkey_id: string;
                name: string;
                /**
                 * @description `synced`: copied among devices by a password manager; `security_key`: on a key that is plugged in or held to the device; `device`: on one device
                 * @enum {string}
                 */
                device_family: "synced" | "security_key" | "device";
                /** @description The password manager or system, as the device reports it; null if it is not one of the most common */
                provider: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour; null until the first use */
                last_used_at: string | null;
              }[];
              /** @description Oldest first; only with `include=ways` */
              links?: {
                link_id: string;
                provider: string;
                /** @description The address that the provider sent */
                email: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour */
                last_login_at: string | null;
              }[];
              /** @description Whether the account has a password, and whether its organization lets it log in with one */
              password: {
                set: boolean;
                allowed: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/factors/totp": {
    /**
     * Begin to enroll an authenticator app
     * @description Returns a secret for an authenticator app. The app is enrolled by its first code, within 15 minutes; until then nothing changes. A second call replaces the secret of the first. Concerns the caller alone.
     */
    post: {
      responses: {
        /** @description The pending enrollment. Its secret is shown only here. */
        200: {
          content: {
            "application/json": {
              enrollment_id: string;
              /** @description 160 bits in base32 (RFC 4648), to be typed by hand */
              secret: string;
              /** @description For the QR code: `otpauth://totp/…` */
              uri: string;
              /** @description The QR code as SVG */
              qr: string;
              /** Format: date-time */
              expires_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Remove the authenticator app
     * @description The recovery codes end with it. From now on, the password alone is enough to log in. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      responses: {
        /** @description The password alone is enough to log in. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Second factor removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/factors/totp/confirm": {
    /**
     * Enroll an authenticator app with its first code
     * @description From now on, a login with the password needs a code of the app or a recovery code. Other sessions go on; `DELETE /api/v1/users/me/sessions` ends them. Ten wrong codes in 15 minutes lead to 429, and so do ten changes of second factors in an hour. Concerns the caller alone.
     */
    post: {
      requestBody: {
        content: {
          "application/json": {
            enrollment_id: string;
            code: string;
          };
        };
      };
      responses: {
        /** @description Ten recovery codes */
        200: {
          content: {
            "application/json": {
              /** @description Shown only here. Each is used once. */
              recovery_codes: string[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/factors/recovery-codes": {
    /**
     * Replace the recovery codes
     * @description Returns ten new codes. The earlier ones end. Ten changes of second factors in an hour lead to 429. Concerns the caller alone.
     */
    post: {
      responses: {
        /** @description Ten recovery codes */
        200: {
          content: {
            "application/json": {
              /** @description Shown only here. Each is used once. */
              recovery_codes: string[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/keys": {
    /**
     * List your own keys
     * @description The newest first, with those that have expired. No answer holds a secret. Concerns the caller alone.
     */
    get: {
      responses: {
        /** @description The keys */
        200: {
          content: {
            "application/json": {
              keys: {
                /** @description The part of the key between `gh_` and the second `_` */
                key_id: string;
                name: string;
                permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
                /** @description In CIDR notation; empty: the key works everywhere */
                networks: string[];
                /** @description Null: the key does not expire */
                expires_at: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description The user_id of whoever made it */
                created_by: string;
                /** @description To the hour; null until the first use */
                last_used_at: string | null;
                rotated_at: string | null;
                /** @description Until when the secret before the last rotation works as well */
                overlap_until: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Make your own key
     * @description The answer is the only one that holds the key. A call with the key may do what its owner may do at that time, and of that only what the permissions name. At most twenty keys; twenty in an hour. A mail tells the person of a key of their own. Concerns the caller alone.
     */
    post: {
      requestBody: {
        content: {
          "application/json": {
            name: string;
            permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
            networks?: string[];
            expires_at?: string | null;
          };
        };
      };
      responses: {
        /** @description The machine key with its secret */
        201: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
              /** @description The key itself. It is not shown again. */
              key: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}/keys": {
    /**
     * List the keys of a service account
     * @description The newest first, with those that have expired. No answer holds a secret. Needs the permission "assign roles" (Owner, Admin).
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          service_account_id: string;
        };
      };
      responses: {
        /** @description The keys */
        200: {
          content: {
            "application/json": {
              keys: {
                /** @description The part of the key between `gh_` and the second `_` */
                key_id: string;
                name: string;
                permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
                /** @description In CIDR notation; empty: the key works everywhere */
                networks: string[];
                /** @description Null: the key does not expire */
                expires_at: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description The user_id of whoever made it */
                created_by: string;
                /** @description To the hour; null until the first use */
                last_used_at: string | null;
                rotated_at: string | null;
                /** @description Until when the secret before the last rotation works as well */
                overlap_until: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Make a key of a service account
     * @description The answer is the only one that holds the key. A call with the key may do what its owner may do at that time, and of that only what the permissions name. At most twenty keys; twenty in an hour. A mail tells the person of a key of their own. Needs the permission "assign roles" (Owner, Admin).
     */
    post: {
      parameters: {
        path: {
          organization_id: string;
          service_account_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
            permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "platform")[];
            networks?: string[];
            expires_at?: string | null;
          };
        };
      };
      responses: {
        /** @description The machine key with its secret */
        201: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
              /** @description The key itself. It is not shown again. */
              key: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/keys/{key_id}": {
    /**
     * Read your own key
     * @description Returns the key without its secret. Concerns the caller alone.
     */
    get: {
      parameters: {
        path: {
          key_id: string;
        };
      };
      responses: {
        /** @description The machine key */
        200: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Delete your own key
     * @description The key opens nothing any more, at the gateway within PRINCIPAL_CACHE_MS. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          key_id: string;
        };
      };
      responses: {
        /** @description The key opens nothing any more. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Key deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change your own key
     * @description Changes the fields that the body names, for the calls that follow. The secret stays. Concerns the caller alone.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          key_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name?: string;
            permissions?: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
            networks?: string[];
            expires_at?: string | null;
          };
        };
      };
      responses: {
        /** @description The machine key */
        200: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}/keys/{key_id}": {
    /**
     * Read a key of a service account
     * @description Returns the key without its secret. Needs the permission "assign roles" (Owner, Admin).
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          service_account_id: string;
          key_id: string;
        };
      };
      responses: {
        /** @description The machine key */
        200: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Delete a key of a service account
     * @description The key opens nothing any more, at the gateway within PRINCIPAL_CACHE_MS. Needs the permission "assign roles" (Owner, Admin).
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          service_account_id: string;
          key_id: string;
        };
      };
      responses: {
        /** @description The key opens nothing any more. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Key deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change a key of a service account
     * @description Changes the fields that the body names, for the calls that follow. The secret stays. Needs the permission "assign roles" (Owner, Admin).
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          service_account_id: string;
          key_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name?: string;
            permissions?: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "platform")[];
            networks?: string[];
            expires_at?: string | null;
          };
        };
      };
      responses: {
        /** @description The machine key */
        200: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/keys/{key_id}/rotate": {
    /**
     * Replace the secret of your own key
     * @description The answer is the only one that holds the new secret. The former one works for so many days more; 0 ends it at once. Another rotation ends an earlier overlap. 409 if another call has just rotated the key. Concerns the caller alone.
     */
    post: {
      parameters: {
        path: {
          key_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            overlap_days: number;
          };
        };
      };
      responses: {
        /** @description The machine key with its secret */
        200: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
              /** @description The key itself. It is not shown again. */
              key: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}/keys/{key_id}/rotate": {
    /**
     * Replace the secret of a key of a service account
     * @description The answer is the only one that holds the new secret. The former one works for so many days more; 0 ends it at once. Another rotation ends an earlier overlap. 409 if another call has just rotated the key. Needs the permission "assign roles" (Owner, Admin).
     */
    post: {
      parameters: {
        path: {
          organization_id: string;
          service_account_id: string;
          key_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            overlap_days: number;
          };
        };
      };
      responses: {
        /** @description The machine key with its secret */
        200: {
          content: {
            "application/json": {
              /** @description The part of the key between `gh_` and the second `_` */
              key_id: string;
              name: string;
              permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
              /** @description In CIDR notation; empty: the key works everywhere */
              networks: string[];
              /** @description Null: the key does not expire */
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
              rotated_at: string | null;
              /** @description Until when the secret before the last rotation works as well */
              overlap_until: string | null;
              /** @description The key itself. It is not shown again. */
              key: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/service-accounts": {
    /**
     * List the service accounts of an organization
     * @description The newest first: for Owners of the organization all, for others those whose every role they may grant. Needs the permission "assign roles" (Owner, Admin).
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The service accounts */
        200: {
          content: {
            "application/json": {
              service_accounts: {
                /** @description Stands where people have a user_id, such as in the audit and as `owner_id` */
                service_account_id: string;
                organization_id: string;
                name: string;
                roles: {
                  department_id: string;
                  /** @enum {string} */
                  role: "Admin" | "Editor" | "Viewer" | "Analyst";
                }[];
                /** Format: date-time */
                created_at: string;
                /** @description The user_id of whoever made it */
                created_by: string;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Make a service account
     * @description A service account is a machine of the organization. It has a role in each department that is named, below Owner and none above that of the caller, and no more than its keys are given. It stays when whoever made it leaves. At most 20. Needs the permission "assign roles" (Owner, Admin).
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
            roles: {
              department_id: string;
              /** @enum {string} */
              role: "Admin" | "Editor" | "Viewer" | "Analyst";
            }[];
          };
        };
      };
      responses: {
        /** @description The service account */
        201: {
          content: {
            "application/json": {
              /** @description Stands where people have a user_id, such as in the audit and as `owner_id` */
              service_account_id: string;
              organization_id: string;
              name: string;
              roles: {
                department_id: string;
                /** @enum {string} */
                role: "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/service-accounts/{service_account_id}": {
    /**
     * Read a service account
     * @description Returns 404 also for one with a role that the caller may not grant. Needs the permission "assign roles" (Owner, Admin).
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          service_account_id: string;
        };
      };
      responses: {
        /** @description The service account */
        200: {
          content: {
            "application/json": {
              /** @description Stands where people have a user_id, such as in the audit and as `owner_id` */
              service_account_id: string;
              organization_id: string;
              name: string;
              roles: {
                department_id: string;
                /** @enum {string} */
                role: "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Delete a service account
     * @description Its keys end with it. Chatbots that it has made stay in their departments, whose Owners manage them. Needs the permission "assign roles" (Owner, Admin).
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          service_account_id: string;
        };
      };
      responses: {
        /** @description Its keys open nothing any more. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Service account deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change a service account
     * @description Changes the name, or replaces all roles by those that are named, for the calls that follow. Needs the permission "assign roles" (Owner, Admin).
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          service_account_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name?: string;
            roles?: {
              department_id: string;
              /** @enum {string} */
              role: "Admin" | "Editor" | "Viewer" | "Analyst";
            }[];
          };
        };
      };
      responses: {
        /** @description The service account */
        200: {
          content: {
            "application/json": {
              /** @description Stands where people have a user_id, such as in the audit and as `owner_id` */
              service_account_id: string;
              organization_id: string;
              name: string;
              roles: {
                department_id: string;
                /** @enum {string} */
                role: "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              /** Format: date-time */
              created_at: string;
              /** @description The user_id of whoever made it */
              created_by: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/passkeys/options": {
    /**
     * Request options to register a passkey
     * @description Returns options for `navigator.credentials.create()` and stores nothing. 404 if passkeys are off, 409 if the account has twenty. Concerns the caller alone.
     */
    post: {
      responses: {
        /** @description The options for the browser */
        200: {
          content: {
            "application/json": {
              /** @description To be sent with the answer, within two minutes */
              passkey_token: string;
              /** @description For `navigator.credentials.create()`, as `PublicKeyCredentialCreationOptionsJSON` */
              options: {
                challenge: string;
              } & {
                [key: string]: unknown;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/passkeys": {
    /**
     * List your own passkeys
     * @description Returns at most twenty passkeys, oldest first. Concerns the caller alone.
     */
    get: {
      responses: {
        /** @description The passkeys */
        200: {
          content: {
            "application/json": {
              passkeys: {
                passkey_id: string;
                name: string;
                /**
                 * @description `synced`: copied among devices by a password manager; `security_key`: on a key that is plugged in or held to the device; `device`: on one device
                 * @enum {string}
                 */
                device_family: "synced" | "security_key" | "device";
                /** @description The password manager or system, as the device reports it; null if it is not one of the most common */
                provider: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour; null until the first use */
                last_used_at: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Register a passkey
     * @description The passkey alone then logs in to the account. A mail tells the person. Other sessions continue; `DELETE /api/v1/users/me/sessions` ends them. Ten registrations in an hour lead to 429. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description From the options; valid once, for two minutes */
            passkey_token: string;
            /** @description The answer of `navigator.credentials.create()` as JSON */
            credential: {
              id: string;
              rawId: string;
              /** @enum {string} */
              type: "public-key";
              /** @default {} */
              clientExtensionResults?: Record<string, never>;
              response: {
                clientDataJSON: string;
                attestationObject: string;
                /** @default [] */
                transports?: string[];
              };
            };
            name: string;
          };
        };
      };
      responses: {
        /** @description The passkey */
        201: {
          content: {
            "application/json": {
              passkey_id: string;
              name: string;
              /**
               * @description `synced`: copied among devices by a password manager; `security_key`: on a key that is plugged in or held to the device; `device`: on one device
               * @enum {string}
               */
              device_family: "synced" | "security_key" | "device";
              /** @description The password manager or system, as the device reports it; null if it is not one of the most common */
              provider: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/passkeys/{passkey_id}": {
    /**
     * Remove a passkey
     * @description The passkey no longer opens the account. The last way into an account cannot be removed: 409 unless there is a password, another passkey, a link to a provider that is offered, or single sign-on of an organization. Sessions continue; `DELETE /api/v1/users/me/sessions` ends the others. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          passkey_id: string;
        };
      };
      responses: {
        /** @description The passkey no longer opens the account. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Passkey removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Rename a passkey
     * @description Changes the name in this service. The name in a password manager stays. Concerns the caller alone.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          passkey_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
          };
        };
      };
      responses: {
        /** @description The passkey */
        200: {
          content: {
            "application/json": {
              passkey_id: string;
              name: string;
              /**
               * @description `synced`: copied among devices by a password manager; `security_key`: on a key that is plugged in or held to the device; `device`: on one device
               * @enum {string}
               */
              device_family: "synced" | "security_key" | "device";
              /** @description The password manager or system, as the device reports it; null if it is not one of the most common */
              provider: string | null;
              /** Format: date-time */
              created_at: string;
              /** @description To the hour; null until the first use */
              last_used_at: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations": {
    /**
     * List organizations
     * @description Lists the organizations in which the caller has a role. `search` matches the names. Concerns the caller alone.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "name" | "organization_id";
          order?: "asc" | "desc";
          search?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                organization_id: string;
                name: string;
                /** Format: date-time */
                created_at: string;
                second_factor?: {
                  /** Format: date-time */
                  required_since: string;
                  /**
                   * Format: date-time
                   * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                   */
                  grace_ends_at: string;
                };
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Create an organization
     * @description The caller is its first Owner. It starts without departments. Its name must not contain a link or an invisible character. Callers who own 100 organizations cannot create another. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
          };
        };
      };
      responses: {
        /** @description The organization */
        201: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}": {
    /**
     * Read an organization
     * @description Returns 404 if the organization does not exist or the caller has no role in it. Needs any role here.
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The organization */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Rename an organization
     * @description Its id does not change. Its name must not contain a link or an invisible character. Needs to be an Owner of the organization.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
          };
        };
      };
      responses: {
        /** @description The organization */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/second-factor": {
    /**
     * Require a second factor of the members
     * @description For 14 days, nothing changes. From then on, members and Owners without a second factor get 403 `ENROLLMENT_REQUIRED` for everything that belongs to the organization, until they set one up. A session that began at a SAML or OpenID Connect provider of the organization is let through. Turned on again within 14 days, the requirement continues with its former grace. Has no effect if nothing changes. Needs to be an Owner of the organization.
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            required: boolean;
          };
        };
      };
      responses: {
        /** @description The organization */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/members/{user_id}": {
    /**
     * Read all roles of one person in an organization
     * @description Returns whether the person is an Owner of the organization, their role in each department, and their latest 100 entries on access lists of its chatbots. Callers see the departments and access lists in which they have the permission, or all of them if the person is themselves; a person without a role there is 404. Needs the permission "view users" (Owner, Admin, Editor, Viewer), except for oneself.
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          user_id: string;
        };
      };
      responses: {
        /** @description The person and all their grants */
        200: {
          content: {
            "application/json": {
              user_id: string;
              /** @description The name of the account; null if it is gone */
              name: string | null;
              /** @description The invited address, or that of the account if the organization has verified its domain; otherwise null */
              email: string | null;
              /** @description Who made them an Owner of the organization, and when; otherwise null */
              owner: {
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
              } | null;
              departments: {
                department_id: string;
                name: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
              }[];
              /** @description The latest entries of the person on access lists of the organization’s chatbots */
              chatbot_roles: {
                chatbot_id: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                department_id: string;
              }[];
              chatbot_roles_total: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Remove a person from an organization, or leave it
     * @description Ends every role of the person in the organization: as its Owner, in each department and on the chatbots, which pass on as when a member leaves a department. Owners of the organization remove anyone; others remove people from the departments where they may remove users, and roles elsewhere stay. It is 403 if there is no such department or the person’s role there is above the caller’s, and for the last Owner who can act, who must transfer the ownership or archive the organization first. An archived organization can be left. Removal by another person also withdraws earlier invitations and offers to the user_id. An interrupted call is completed within minutes. Needs the permission "remove users" (Owner, Admin), except for oneself.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          user_id: string;
        };
      };
      responses: {
        /** @description The person has no role here any more */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Member removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/audit": {
    /**
     * List the audit events of an organization
     * @description Lists the changes of the organization and its departments, owners, members, invitations, bills, chatbots and access lists, newest first. The e-mail and network addresses of a person who accepts an invitation or leaves are null. So is everything about the actor who declines one. `actor` filters by the `user_id` of the account that acted. `search` matches the actions. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query?: {
          action?: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
          page?: number;
          limit?: number;
          sort_by?: "at";
          order?: "asc" | "desc";
          search?: string;
          /** @description Events at this time or later */
          from?: string;
          /** @description Events before this time */
          to?: string;
          actor?: string;
          department_id?: string;
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                event_id: string;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                action: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
                /** @description `success`, or why the attempt was refused */
                outcome: string;
                /** @description The account that acted, or that a call without a bearer names; nulls for a service of the platform */
                actor: {
                  user_id: string | null;
                  email: string | null;
                  /** @description The machine key that was used */
                  key_id?: string;
                };
                /** @description Whom or what the action changed, apart from the actor */
                target: {
                  user_id?: string;
                  email?: string;
                  chatbot_id?: string;
                  invitation_id?: string;
                  webhook_id?: string;
                  session_id?: string;
                  connection_id?: string;
                  domain_id?: string;
                  export_id?: string;
                  key_id?: string;
                  service_account_id?: string;
                };
                /** @description The changed fields, before; never a secret */
                before: {
                  [key: string]: string | string[] | null;
                } | null;
                /** @description The changed fields, after; never a secret */
                after: {
                  [key: string]: string | string[] | null;
                } | null;
                organization_id: string | null;
                department_id: string | null;
                /** @description The address of the client */
                address: string | null;
                request_id: string;
                /** @description The user_id of the operator who acted as the actor, in a support session */
                operator?: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/owners": {
    /**
     * List the Owners of an organization
     * @description The Owners of the organization are Owners in every department. The permission may be held in any department. With `include=offers`, Owners also get the offers to become one. Needs the permission "view users" (Owner, Admin, Editor, Viewer).
     */
    get: {
      parameters: {
        query?: {
          include?: "offers";
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The Owners */
        200: {
          content: {
            "application/json": {
              owners: {
                user_id: string;
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                /** @description The name of the account; null if it is gone */
                name: string | null;
                /** @description The invited address, or that of the account if the organization has verified its domain; otherwise null */
                email: string | null;
              }[];
              offers?: {
                invitation_id: string;
                /** @enum {string} */
                status: "pending" | "declined" | "expired" | "accepted";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                /** Format: date-time */
                expires_at: string | null;
                /** @description The invited user_id, whether an account has it or not */
                user_id: string;
                /** @enum {string} */
                role: "Owner";
                /** @description Whether the Owner who made the offer then stops being one */
                transfer: boolean;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/owners/{user_id}": {
    /**
     * Offer ownership to a user, or transfer your own
     * @description Returns 200 and the Owner, unchanged, if the user is one already, also with `transfer`; the caller stays an Owner then. Otherwise it makes or renews an offer and returns 202, whether an account has this user_id or not; the user becomes an Owner by accepting it. With `transfer` the caller stops being an Owner in the same step. An offer expires after 14 days. An organization has at most 100 Owners and 20 pending offers. Needs to be an Owner of the organization.
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          user_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            transfer?: boolean;
          } | null;
        };
      };
      responses: {
        /** @description An Owner of the organization */
        200: {
          content: {
            "application/json": {
              user_id: string;
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
            };
          };
        };
        /** @description The offer to become an Owner */
        202: {
          content: {
            "application/json": {
              invitation_id: string;
              /** @enum {string} */
              status: "pending" | "declined" | "expired" | "accepted";
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
              /** Format: date-time */
              expires_at: string | null;
              /** @description The invited user_id, whether an account has it or not */
              user_id: string;
              /** @enum {string} */
              role: "Owner";
              /** @description Whether the Owner who made the offer then stops being one */
              transfer: boolean;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Remove an Owner from an organization
     * @description Owners can remove each other and themselves. The last Owner whose account is active cannot be removed. Where the user is a member of a department, roles above their own that they granted themselves on its chatbots end. Their pending offers end with the role. Needs to be an Owner of the organization.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          user_id: string;
        };
      };
      responses: {
        /** @description The user is no longer an Owner */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Owner removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/offers": {
    /**
     * List the offers to become an Owner
     * @description Lists the offers that are pending, declined ones until they would have expired, and expired ones for 30 days. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The offers */
        200: {
          content: {
            "application/json": {
              offers: {
                invitation_id: string;
                /** @enum {string} */
                status: "pending" | "declined" | "expired" | "accepted";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                /** Format: date-time */
                expires_at: string | null;
                /** @description The invited user_id, whether an account has it or not */
                user_id: string;
                /** @enum {string} */
                role: "Owner";
                /** @description Whether the Owner who made the offer then stops being one */
                transfer: boolean;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/offers/{invitation_id}": {
    /**
     * Withdraw an offer to become an Owner
     * @description Returns 404 for an accepted offer; remove the Owner instead. Needs to be an Owner of the organization.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          invitation_id: string;
        };
      };
      responses: {
        /** @description The offer is withdrawn */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Offer withdrawn";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/offers/{invitation_id}/resend": {
    /**
     * Send an offer to become an Owner again
     * @description Mails a pending or expired offer again, which is then valid for another 14 days. A declined one is 409; make a new offer instead. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          invitation_id: string;
        };
      };
      responses: {
        /** @description The offer to become an Owner */
        200: {
          content: {
            "application/json": {
              invitation_id: string;
              /** @enum {string} */
              status: "pending" | "declined" | "expired" | "accepted";
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
              /** Format: date-time */
              expires_at: string | null;
              /** @description The invited user_id, whether an account has it or not */
              user_id: string;
              /** @enum {string} */
              role: "Owner";
              /** @description Whether the Owner who made the offer then stops being one */
              transfer: boolean;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments": {
    /**
     * List departments
     * @description Lists the departments of the organization in which the caller has a role; its Owners see all of them. `search` matches the names. Needs any role here.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "name" | "department_id";
          order?: "asc" | "desc";
          search?: string;
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                department_id: string;
                organization_id: string;
                name: string;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
                /** @description The department to which the chatbots of an archived department move */
                move_to?: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Create a department
     * @description It starts on the free plan, with its own billing record. Its name must be unique in the organization; names that look alike count as one. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
          };
        };
      };
      responses: {
        /** @description The department */
        201: {
          content: {
            "application/json": {
              department_id: string;
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
              /** @description The department to which the chatbots of an archived department move */
              move_to?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}": {
    /**
     * Read a department
     * @description Returns 404 if the department does not exist or the caller has no role in it. Needs any role here.
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description The department */
        200: {
          content: {
            "application/json": {
              department_id: string;
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
              /** @description The department to which the chatbots of an archived department move */
              move_to?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Rename a department
     * @description Its id does not change. Its name must be unique in the organization; names that look alike count as one. Needs to be an Owner of the organization.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name: string;
          };
        };
      };
      responses: {
        /** @description The department */
        200: {
          content: {
            "application/json": {
              department_id: string;
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
              /** @description The department to which the chatbots of an archived department move */
              move_to?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/analytics": {
    /**
     * Read the analytics of a department
     * @description Counts members by role, chatbots by status and type, and what happened in the department by UTC day, today last: its audit events by action, those of bills only with `view billing`. What its members do elsewhere, such as logging in, is not counted. Needs the permission "view analytics" (Owner, Admin, Editor, Viewer, Analyst).
     */
    get: {
      parameters: {
        query?: {
          days?: number;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description The counts */
        200: {
          content: {
            "application/json": {
              department_id: string;
              users: {
                total: number;
                by_role: {
                  [key: string]: number;
                };
              };
              chatbots: {
                total: number;
                by_status: {
                  [key: string]: number;
                };
                by_type: {
                  [key: string]: number;
                };
              };
              /** @description The audit events of the department by UTC day and action */
              activity: {
                /** Format: date */
                date: string;
                events: number;
                by_action: {
                  [key: string]: number;
                };
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/billing": {
    /**
     * Read the billing record of a department
     * @description Each department has its own plan and payment status. The billing of an archived department has ended. Needs the permission "view billing" (Owner).
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description The billing record */
        200: {
          content: {
            "application/json": {
              department_id: string;
              /** @enum {string} */
              subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
              /** @enum {string} */
              payment_status: "pending" | "paid" | "failed";
              /**
               * Format: date
               * @description The date on which the plan was chosen
               */
              subscription_date: string;
              /** Format: date-time */
              updated_at: string;
              /**
               * Format: date-time
               * @description Since when the department or its organization is archived
               */
              ended_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change the plan of a department
     * @description A new plan is `pending` until the payment service reports its payment. Needs the permission "upgrade/downgrade plan" (Owner).
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
          };
        };
      };
      responses: {
        /** @description The billing record */
        200: {
          content: {
            "application/json": {
              department_id: string;
              /** @enum {string} */
              subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
              /** @enum {string} */
              payment_status: "pending" | "paid" | "failed";
              /**
               * Format: date
               * @description The date on which the plan was chosen
               */
              subscription_date: string;
              /** Format: date-time */
              updated_at: string;
              /**
               * Format: date-time
               * @description Since when the department or its organization is archived
               */
              ended_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/billing/history": {
    /**
     * List the billing history of a department
     * @description Lists every change of the plan and every payment report, by its number. A repeated report with the same `invoice_id` and status is one entry. `search` matches the invoice_id. Needs the permission "manage payment" (Owner).
     */
    get: {
      parameters: {
        query?: {
          kind?: "plan" | "payment";
          page?: number;
          limit?: number;
          sort_by?: "number";
          order?: "asc" | "desc";
          search?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                /** @description Counts the entries of the department from 1, without gaps */
                number: number;
                /** Format: date-time */
                at: string;
                /**
                 * @description `plan`: another plan was chosen; `payment`: the payment service reported
                 * @enum {string}
                 */
                kind: "plan" | "payment";
                /** @enum {string} */
                subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
                /** @enum {string} */
                payment_status: "pending" | "paid" | "failed";
                /** @description Who chose the plan; null for a report */
                changed_by: string | null;
                invoice_id: string | null;
                /** @description In the smallest unit of the currency, such as cents */
                amount: number | null;
                /** @description ISO 4217 */
                currency: string | null;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/members": {
    /**
     * List the members of an organization
     * @description Lists everybody with a role in the organization once, its Owners first, each with up to 20 departments of which they are a member. `search` matches the user_id. A `total_items` above 10,000 is not exact; `has_next` always is. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "user_id";
          order?: "asc" | "desc";
          search?: string;
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                user_id: string;
                /** @description The name of the account; null if it is gone */
                name: string | null;
                /** @description The invited address, or that of the account if the organization has verified its domain; otherwise null */
                email: string | null;
                /** @description `Owner` of the organization, or null */
                role: "Owner" | null;
                /** @description The departments of which they are a member */
                departments: {
                  department_id: string;
                  name: string;
                  /** @enum {string} */
                  role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                }[];
                departments_total: number;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/members": {
    /**
     * List the members of a department
     * @description Lists the users with a role in the department, with their names. The Owners of the organization are listed only where they are also members. `search` and `sort_by=email` use the invited addresses. A `total_items` above 10,000 is not exact; `has_next` always is. Needs the permission "view users" (Owner, Admin, Editor, Viewer).
     */
    get: {
      parameters: {
        query?: {
          role?: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
          page?: number;
          limit?: number;
          sort_by?: "granted_at" | "user_id" | "role" | "email";
          order?: "asc" | "desc";
          search?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                user_id: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                /** @description The invited address, or that of the account if the organization has verified its domain; otherwise null */
                email: string | null;
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                /** @description The name of the account; null if it is gone */
                name: string | null;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}": {
    /**
     * Read a member of a department
     * @description Returns the name and role of the member and who granted it, and their latest 100 entries on the access lists of the department’s chatbots, as far as the caller may read those lists. Needs the permission "view users" (Owner, Admin, Editor, Viewer), except for oneself.
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          department_id: string;
          user_id: string;
        };
      };
      responses: {
        /** @description The member and their roles on chatbots */
        200: {
          content: {
            "application/json": {
              user_id: string;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
              /** @description The invited address, or that of the account if the organization has verified its domain; otherwise null */
              email: string | null;
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
              /** @description The name of the account; null if it is gone */
              name: string | null;
              /** @description The latest entries of the member on access lists of the department’s chatbots */
              chatbot_roles: {
                chatbot_id: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
              }[];
              chatbot_roles_total: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Give a role in a department, or invite by user_id
     * @description A user with a role in the organization gets this role at once: 200 and the member. Others are invited and decide: 202 and the invitation, whether an account has this user_id or not. Callers cannot grant or change a role above their own, nor lower the last Owner who can act. An Owner of the organization is Owner in every department and cannot be added. Roles above the new one that the member granted themselves on the department’s chatbots end. The limits of invitations apply. Needs the permission "assign roles" (Owner, Admin).
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
          user_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
          };
        };
      };
      responses: {
        /** @description The member */
        200: {
          content: {
            "application/json": {
              user_id: string;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
              /** @description The invited address; null for a member who was invited or added by user_id */
              email: string | null;
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
            };
          };
        };
        /** @description The invitation */
        202: {
          content: {
            "application/json": {
              invitation_id: string;
              /** @enum {string} */
              status: "pending" | "declined" | "expired" | "accepted";
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
              /** Format: date-time */
              expires_at: string | null;
              /** @description The invited address; null for an invitation by user_id */
              email: string | null;
              /** @description The invited user_id, whether an account has it or not; null for an address */
              user_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Remove a member from a department, or leave it
     * @description The member also loses every role on the department’s chatbots. A chatbot that they own passes to another Owner on its access list, or else to an Owner of the organization. Invitations that were made to the member before are withdrawn, unless they leave by themselves. Callers cannot remove a member whose role is above their own, nor the last Owner who can act. Needs the permission "remove users" (Owner, Admin), except for oneself.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
          user_id: string;
        };
      };
      responses: {
        /** @description The user is no longer a member */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Member removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/invitations": {
    /**
     * List the invitations of a department
     * @description Lists the pending invitations, or those with another `status`: declined ones until they would have expired, expired ones for 30 days. `granted_by` lists what one person invited. `search` matches the invited addresses and user_ids. Needs the permission "view users" (Owner, Admin, Editor, Viewer).
     */
    get: {
      parameters: {
        query?: {
          role?: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
          granted_by?: string;
          page?: number;
          limit?: number;
          sort_by?: "granted_at" | "email" | "role";
          order?: "asc" | "desc";
          search?: string;
          status?: "pending" | "declined" | "expired";
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                invitation_id: string;
                /** @enum {string} */
                status: "pending" | "declined" | "expired" | "accepted";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                /** Format: date-time */
                expires_at: string | null;
                /** @description The invited address; null for an invitation by user_id */
                email: string | null;
                /** @description The invited user_id, whether an account has it or not; null for an address */
                user_id: string | null;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Invite a person to a department by e-mail
     * @description The person becomes a member when they accept. A person without an account accepts by verifying the address at signup. The answer is the same whether the address has an account or not. An invitation expires after 14 days; inviting the same address again renews it and sends another e-mail. Callers cannot invite to a role above their own. Invitations to one mailbox, from one caller and from one network are limited. If the mail server does not accept the mail, the answer is 503, but the invitation is stored: `resend` mails it again. Needs the permission "add users" (Owner, Admin).
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            email: string;
            /** @enum {string} */
            role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
          };
        };
      };
      responses: {
        /** @description The invitation */
        201: {
          content: {
            "application/json": {
              invitation_id: string;
              /** @enum {string} */
              status: "pending" | "declined" | "expired" | "accepted";
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
              /** Format: date-time */
              expires_at: string | null;
              /** @description The invited address; null for an invitation by user_id */
              email: string | null;
              /** @description The invited user_id, whether an account has it or not; null for an address */
              user_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}": {
    /**
     * Withdraw an invitation
     * @description Also removes a declined or expired one from the list. Returns 404 for an accepted invitation; remove the member instead. Needs the permission "remove users" (Owner, Admin).
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
          invitation_id: string;
        };
      };
      responses: {
        /** @description The invitation is withdrawn */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Invitation withdrawn";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}/resend": {
    /**
     * Send an invitation again
     * @description Mails a pending or expired invitation again, which is then valid for another 14 days. Its role stays, and so does its inviter while they may grant it; otherwise the caller takes their place. A declined one is 409; invite the person anew instead. The limits are those of invitations. Needs the permission "add users" (Owner, Admin).
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
          invitation_id: string;
        };
      };
      responses: {
        /** @description The invitation */
        200: {
          content: {
            "application/json": {
              invitation_id: string;
              /** @enum {string} */
              status: "pending" | "declined" | "expired" | "accepted";
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
              /** Format: date-time */
              expires_at: string | null;
              /** @description The invited address; null for an invitation by user_id */
              email: string | null;
              /** @description The invited user_id, whether an account has it or not; null for an address */
              user_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/invitations": {
    /**
     * List the invitations to you
     * @description Lists the pending invitations to departments and offers to become an Owner that are to the caller’s user_id or address. `search` matches the names of the organizations. Concerns the caller alone.
     */
    get: {
      parameters: {
        query?: {
          organization_id?: string;
          role?: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
          page?: number;
          limit?: number;
          sort_by?: "granted_at" | "expires_at";
          order?: "asc" | "desc";
          search?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                invitation_id: string;
                organization_id: string;
                organization_name: string;
                department_id: string | null;
                /** @description Null for an offer to become an Owner of the organization */
                department_name: string | null;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                /** @description Whether the Owner who made the offer then stops being one */
                transfer: boolean;
                /** @description The invited address; null for an invitation by user_id */
                email: string | null;
                granted_by: string;
                /** @description The name of the inviter */
                granted_by_name: string | null;
                /** Format: date-time */
                granted_at: string;
                /** Format: date-time */
                expires_at: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/invitations/{invitation_id}/accept": {
    /**
     * Accept an invitation
     * @description Accepts an invitation to a department or an offer to become an Owner, if it is to the caller’s user_id or address, pending, and not expired. If the offer is a transfer, the Owner who made it stops being one in the same step. An invitation lapses when its inviter may no longer grant its role, and an offer when the person who made it is no longer an Owner; while their account cannot act, neither can be accepted. Accepting one invitation to a department ends the other one, to the `user_id` or the address. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          invitation_id: string;
        };
      };
      responses: {
        /** @description The invitation is accepted */
        200: {
          content: {
            "application/json": {
              invitation_id: string;
              organization_id: string;
              department_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/invitations/{invitation_id}/decline": {
    /**
     * Decline an invitation
     * @description Declines a pending invitation or offer to the caller. The inviter sees that it was declined until it would have expired, and nothing else about the caller. Concerns the caller alone.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          invitation_id: string;
        };
      };
      responses: {
        /** @description The invitation is declined */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Invitation declined";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/exports": {
    /**
     * List the exports of a department
     * @description Lists the exports that the caller created; Owners of the organization see those of everybody, and in the list of an organization also those of its departments. `search` matches the data sets. Needs the permission "export data" (Owner, Admin, Analyst).
     */
    get: {
      parameters: {
        query?: {
          status?: "pending" | "running" | "ready" | "failed";
          format?: "json" | "csv";
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "status";
          order?: "asc" | "desc";
          search?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                export_id: string;
                organization_id: string;
                /** @description Null for an export of the organization */
                department_id: string | null;
                /** @enum {string} */
                format: "json" | "csv";
                data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
                /** @enum {string} */
                status: "pending" | "running" | "ready" | "failed";
                /** @description Why the export failed */
                error: string | null;
                progress: {
                  rows_done: number;
                  /** @description The rows that were counted when the job started; null before */
                  rows_total: number | null;
                };
                /** @description What can be downloaded once the export is ready, with its size in bytes */
                files: {
                  /** @enum {string} */
                  data: "members" | "chatbots" | "audit" | "invitations" | "billing" | "all";
                  size: number;
                  rows: number;
                }[];
                created_by: string;
                /** Format: date-time */
                created_at: string;
                finished_at: string | null;
                /** Format: date-time */
                expires_at: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Export the data of a department
     * @description A job reads the data and stores the export for 7 days. Members and invitations also need `view users`, chatbots `view chatbot`, and billing `view billing`. Audit events hold only what the caller’s role may see: addresses of people are for Owners of the organization, and names need `view users`. At most 10 exports of an organization are stored, and 3 run at a time. Needs the permission "export data" (Owner, Admin, Analyst).
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            format: "json" | "csv";
            data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
          };
        };
      };
      responses: {
        /** @description The export */
        202: {
          content: {
            "application/json": {
              export_id: string;
              organization_id: string;
              /** @description Null for an export of the organization */
              department_id: string | null;
              /** @enum {string} */
              format: "json" | "csv";
              data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
              /** @enum {string} */
              status: "pending" | "running" | "ready" | "failed";
              /** @description Why the export failed */
              error: string | null;
              progress: {
                rows_done: number;
                /** @description The rows that were counted when the job started; null before */
                rows_total: number | null;
              };
              /** @description What can be downloaded once the export is ready, with its size in bytes */
              files: {
                /** @enum {string} */
                data: "members" | "chatbots" | "audit" | "invitations" | "billing" | "all";
                size: number;
                rows: number;
              }[];
              created_by: string;
              /** Format: date-time */
              created_at: string;
              finished_at: string | null;
              /** Format: date-time */
              expires_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/exports": {
    /**
     * List the exports of an organization
     * @description Lists the exports that the caller created; Owners of the organization see those of everybody, and in the list of an organization also those of its departments. `search` matches the data sets. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query?: {
          status?: "pending" | "running" | "ready" | "failed";
          format?: "json" | "csv";
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "status";
          order?: "asc" | "desc";
          search?: string;
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                export_id: string;
                organization_id: string;
                /** @description Null for an export of the organization */
                department_id: string | null;
                /** @enum {string} */
                format: "json" | "csv";
                data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
                /** @enum {string} */
                status: "pending" | "running" | "ready" | "failed";
                /** @description Why the export failed */
                error: string | null;
                progress: {
                  rows_done: number;
                  /** @description The rows that were counted when the job started; null before */
                  rows_total: number | null;
                };
                /** @description What can be downloaded once the export is ready, with its size in bytes */
                files: {
                  /** @enum {string} */
                  data: "members" | "chatbots" | "audit" | "invitations" | "billing" | "all";
                  size: number;
                  rows: number;
                }[];
                created_by: string;
                /** Format: date-time */
                created_at: string;
                finished_at: string | null;
                /** Format: date-time */
                expires_at: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Export the data of an organization
     * @description A job reads the data and stores the export for 7 days. Members and invitations also need `view users`, chatbots `view chatbot`, and billing `view billing`. Audit events hold only what the caller’s role may see: addresses of people are for Owners of the organization, and names need `view users`. At most 10 exports of an organization are stored, and 3 run at a time. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            format: "json" | "csv";
            data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
          };
        };
      };
      responses: {
        /** @description The export */
        202: {
          content: {
            "application/json": {
              export_id: string;
              organization_id: string;
              /** @description Null for an export of the organization */
              department_id: string | null;
              /** @enum {string} */
              format: "json" | "csv";
              data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
              /** @enum {string} */
              status: "pending" | "running" | "ready" | "failed";
              /** @description Why the export failed */
              error: string | null;
              progress: {
                rows_done: number;
                /** @description The rows that were counted when the job started; null before */
                rows_total: number | null;
              };
              /** @description What can be downloaded once the export is ready, with its size in bytes */
              files: {
                /** @enum {string} */
                data: "members" | "chatbots" | "audit" | "invitations" | "billing" | "all";
                size: number;
                rows: number;
              }[];
              created_by: string;
              /** Format: date-time */
              created_at: string;
              finished_at: string | null;
              /** Format: date-time */
              expires_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/exports/{export_id}": {
    /**
     * Read an export of a department
     * @description Counts the stored rows in `rows_done`, and those that existed when the job started in `rows_total`. Rows that come or go during the job change the first number only, so rely on `status`. Needs the permission "export data" (Owner, Admin, Analyst).
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          department_id: string;
          export_id: string;
        };
      };
      responses: {
        /** @description The export */
        200: {
          content: {
            "application/json": {
              export_id: string;
              organization_id: string;
              /** @description Null for an export of the organization */
              department_id: string | null;
              /** @enum {string} */
              format: "json" | "csv";
              data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
              /** @enum {string} */
              status: "pending" | "running" | "ready" | "failed";
              /** @description Why the export failed */
              error: string | null;
              progress: {
                rows_done: number;
                /** @description The rows that were counted when the job started; null before */
                rows_total: number | null;
              };
              /** @description What can be downloaded once the export is ready, with its size in bytes */
              files: {
                /** @enum {string} */
                data: "members" | "chatbots" | "audit" | "invitations" | "billing" | "all";
                size: number;
                rows: number;
              }[];
              created_by: string;
              /** Format: date-time */
              created_at: string;
              finished_at: string | null;
              /** Format: date-time */
              expires_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Cancel or delete an export of a department
     * @description An export that is not ready is canceled; one that is ready can no longer be downloaded. Needs the permission "export data" (Owner, Admin, Analyst).
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
          export_id: string;
        };
      };
      responses: {
        /** @description The export is deleted */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Export deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/exports/{export_id}": {
    /**
     * Read an export of an organization
     * @description Counts the stored rows in `rows_done`, and those that existed when the job started in `rows_total`. Rows that come or go during the job change the first number only, so rely on `status`. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
          export_id: string;
        };
      };
      responses: {
        /** @description The export */
        200: {
          content: {
            "application/json": {
              export_id: string;
              organization_id: string;
              /** @description Null for an export of the organization */
              department_id: string | null;
              /** @enum {string} */
              format: "json" | "csv";
              data: ("members" | "chatbots" | "audit" | "invitations" | "billing")[];
              /** @enum {string} */
              status: "pending" | "running" | "ready" | "failed";
              /** @description Why the export failed */
              error: string | null;
              progress: {
                rows_done: number;
                /** @description The rows that were counted when the job started; null before */
                rows_total: number | null;
              };
              /** @description What can be downloaded once the export is ready, with its size in bytes */
              files: {
                /** @enum {string} */
                data: "members" | "chatbots" | "audit" | "invitations" | "billing" | "all";
                size: number;
                rows: number;
              }[];
              created_by: string;
              /** Format: date-time */
              created_at: string;
              finished_at: string | null;
              /** Format: date-time */
              expires_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Cancel or delete an export of an organization
     * @description An export that is not ready is canceled; one that is ready can no longer be downloaded. Needs to be an Owner of the organization.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          export_id: string;
        };
      };
      responses: {
        /** @description The export is deleted */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Export deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/exports/{export_id}/download": {
    /**
     * Download an export of a department
     * @description Streams a file of an export that is ready. `data` names the data set of a CSV export that has several; JSON is one object with an array for each data set. A row has these fields, which are the columns of CSV: `members`: department_id, user_id, role, name, email, granted_by, granted_at; `chatbots`: chatbot_id, name, type, avatar_id, language, status, owner_id, organization_id, department_id, created_at, updated_at; `audit`: event_id, at, action, outcome, actor, target, before, after, organization_id, department_id, address, request_id, operator; `invitations`: department_id, invitation_id, email, user_id, role, status, granted_by, granted_at, expires_at; `billing`: department_id, number, at, kind, subscription_plan, payment_status, changed_by, invoice_id, amount, currency. An interrupted download continues with `Range` and `If-Range`. HEAD answers the size. The caller’s role must still allow them to see what the export holds. Needs the permission "export data" (Owner, Admin, Analyst).
     */
    get: {
      parameters: {
        query?: {
          data?: "members" | "chatbots" | "audit" | "invitations" | "billing";
        };
        path: {
          organization_id: string;
          department_id: string;
          export_id: string;
        };
      };
      responses: {
        /** @description The file (application/json or text/csv), with `ETag` and `Accept-Ranges: bytes` */
        200: {
          content: {
            "application/json": string;
            "text/csv": string;
          };
        };
        /** @description The part that `Range` names */
        206: {
          content: {
            "application/json": string;
            "text/csv": string;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/exports/{export_id}/download": {
    /**
     * Download an export of an organization
     * @description Streams a file of an export that is ready. `data` names the data set of a CSV export that has several; JSON is one object with an array for each data set. A row has these fields, which are the columns of CSV: `members`: department_id, user_id, role, name, email, granted_by, granted_at; `chatbots`: chatbot_id, name, type, avatar_id, language, status, owner_id, organization_id, department_id, created_at, updated_at; `audit`: event_id, at, action, outcome, actor, target, before, after, organization_id, department_id, address, request_id, operator; `invitations`: department_id, invitation_id, email, user_id, role, status, granted_by, granted_at, expires_at; `billing`: department_id, number, at, kind, subscription_plan, payment_status, changed_by, invoice_id, amount, currency. An interrupted download continues with `Range` and `If-Range`. HEAD answers the size. The caller’s role must still allow them to see what the export holds. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query?: {
          data?: "members" | "chatbots" | "audit" | "invitations" | "billing";
        };
        path: {
          organization_id: string;
          export_id: string;
        };
      };
      responses: {
        /** @description The file (application/json or text/csv), with `ETag` and `Accept-Ranges: bytes` */
        200: {
          content: {
            "application/json": string;
            "text/csv": string;
          };
        };
        /** @description The part that `Range` names */
        206: {
          content: {
            "application/json": string;
            "text/csv": string;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/reports": {
    /**
     * Report on a department
     * @description Counts audit events of up to 400 days by UTC day, week (from Monday), month, member (the account that acted), chatbot or action; by default all events of the last 30 days by day. Members need `view users`, chatbots `view chatbot`; billing events are counted only with `view billing`. At most 500 groups are shown, the largest, and `others` counts the rest. `format=csv`, or `Accept: text/csv` without `application/json`, returns CSV. Needs the permission "custom reports" (Owner, Admin, Analyst).
     */
    get: {
      parameters: {
        query?: {
          metric?: "events" | "members_added" | "members_removed" | "chatbots_created" | "chatbots_deleted";
          group_by?: "day" | "week" | "month" | "member" | "chatbot" | "action";
          /** @description Events at this time or later */
          from?: string;
          /** @description Events before this time; by default now */
          to?: string;
          format?: "json" | "csv";
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description The report */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              metric: "events" | "members_added" | "members_removed" | "chatbots_created" | "chatbots_deleted";
              /** @enum {string} */
              group_by: "day" | "week" | "month" | "member" | "chatbot" | "action";
              /** Format: date-time */
              from: string;
              /** Format: date-time */
              to: string;
              total: number;
              groups: {
                group: string;
                count: number;
              }[];
              others: number;
            };
            "text/csv": string;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/reports": {
    /**
     * Report on an organization
     * @description Counts audit events of up to 400 days by UTC day, week (from Monday), month, member (the account that acted), chatbot or action; by default all events of the last 30 days by day. Members need `view users`, chatbots `view chatbot`; billing events are counted only with `view billing`. At most 500 groups are shown, the largest, and `others` counts the rest. `format=csv`, or `Accept: text/csv` without `application/json`, returns CSV. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query?: {
          metric?: "events" | "members_added" | "members_removed" | "chatbots_created" | "chatbots_deleted";
          group_by?: "day" | "week" | "month" | "member" | "chatbot" | "action";
          /** @description Events at this time or later */
          from?: string;
          /** @description Events before this time; by default now */
          to?: string;
          format?: "json" | "csv";
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The report */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              metric: "events" | "members_added" | "members_removed" | "chatbots_created" | "chatbots_deleted";
              /** @enum {string} */
              group_by: "day" | "week" | "month" | "member" | "chatbot" | "action";
              /** Format: date-time */
              from: string;
              /** Format: date-time */
              to: string;
              total: number;
              groups: {
                group: string;
                count: number;
              }[];
              others: number;
            };
            "text/csv": string;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/archive": {
    /**
     * Archive an organization
     * @description Closes the organization: from now on it is read-only with everything in it, its billing has ended and its webhooks are quiet. People log in as before. After 30 days it is deleted for good, with its departments, chatbots, members, invitations, webhooks, connections and domains; until then an Owner can restore it. Has no effect on an organization that is archived already. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The organization */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/restore": {
    /**
     * Restore an archived organization
     * @description Undoes the archiving. The plan of each department is `pending` again until the payment service reports its payment. Departments that were archived on their own stay archived. Once the deletion has begun, the organization is 404. Has no effect on an organization that is not archived. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The organization */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/archive": {
    /**
     * Archive a department
     * @description The department is read-only from now on, its billing has ended and its webhooks are quiet. After 30 days it is deleted for good, with its members, invitations and webhooks; until then it can be restored. Its chatbots are deleted with it, or move at once to another department of the organization, as `chatbots` says. Has no effect on a department that is archived already. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            chatbots: "move" | "delete";
            move_to?: string;
          };
        };
      };
      responses: {
        /** @description The department */
        200: {
          content: {
            "application/json": {
              department_id: string;
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
              /** @description The department to which the chatbots of an archived department move */
              move_to?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/organizations/{organization_id}/departments/{department_id}/restore": {
    /**
     * Restore an archived department
     * @description Undoes the archiving. The plan is `pending` again until the payment service reports its payment. Chatbots that have moved stay where they are. In an archived organization it is 403. Once the deletion has begun, the department is 404. Has no effect on a department that is not archived. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
          department_id: string;
        };
      };
      responses: {
        /** @description The department */
        200: {
          content: {
            "application/json": {
              department_id: string;
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
              /** @description The department to which the chatbots of an archived department move */
              move_to?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots/create": {
    /**
     * Create a chatbot
     * @description The chatbot is active at once and the caller is its Owner. With a `department_id` it belongs to that department, where the caller needs a role that creates chatbots; without one it is a personal chatbot. Needs the permission "create chatbot" (Owner, Admin, Editor).
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "name": "Receptionist",
           *       "type": "3d",
           *       "avatar_id": "avatar-7",
           *       "language": "en-GB"
           *     }
           */
          "application/json": {
            name: string;
            /** @enum {string} */
            type: "3d" | "text" | "voice";
            avatar_id: string;
            language: string;
            department_id?: string;
          };
        };
      };
      responses: {
        /** @description The chatbot */
        201: {
          content: {
            /**
             * @example {
             *       "chatbot_id": "01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21",
             *       "name": "Receptionist",
             *       "type": "3d",
             *       "avatar_id": "avatar-7",
             *       "language": "en-GB",
             *       "status": "active",
             *       "owner_id": "User-483920",
             *       "organization_id": null,
             *       "department_id": null,
             *       "created_at": "2026-01-15T09:30:00.000Z",
             *       "updated_at": "2026-01-15T09:30:00.000Z"
             *     }
             */
            "application/json": {
              chatbot_id: string;
              name: string;
              /** @enum {string} */
              type: "3d" | "text" | "voice";
              avatar_id: string;
              /** @description BCP 47 */
              language: string;
              /** @enum {string} */
              status: "active" | "paused";
              owner_id: string;
              organization_id: string | null;
              department_id: string | null;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots": {
    /**
     * List chatbots
     * @description Lists the chatbots that the caller may view: their own, those shared with them and those of their departments. `search` matches any part of the name, ignoring case. A page past the end is empty. Needs the permission "view chatbot" (Owner, Admin, Editor, Viewer).
     */
    get: {
      parameters: {
        query?: {
          status?: "active" | "paused";
          type?: "3d" | "text" | "voice";
          organization_id?: string;
          department_id?: string;
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "updated_at" | "name" | "type" | "avatar_id" | "language" | "status" | "chatbot_id" | "owner_id" | "organization_id" | "department_id";
          order?: "asc" | "desc";
          search?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                chatbot_id: string;
                name: string;
                /** @enum {string} */
                type: "3d" | "text" | "voice";
                avatar_id: string;
                /** @description BCP 47 */
                language: string;
                /** @enum {string} */
                status: "active" | "paused";
                owner_id: string;
                organization_id: string | null;
                department_id: string | null;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots/{chatbot_id}": {
    /**
     * Read a chatbot
     * @description Returns 404 if the chatbot does not exist or the caller may not view it. With `include=access`, also the caller’s role with its permissions and, with the permission `view users`, the access list. Needs the permission "view chatbot" (Owner, Admin, Editor, Viewer).
     */
    get: {
      parameters: {
        query?: {
          include?: "access";
        };
        path: {
          chatbot_id: string;
        };
      };
      responses: {
        /** @description The chatbot */
        200: {
          content: {
            /**
             * @example {
             *       "chatbot_id": "01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21",
             *       "name": "Receptionist",
             *       "type": "3d",
             *       "avatar_id": "avatar-7",
             *       "language": "en-GB",
             *       "status": "active",
             *       "owner_id": "User-483920",
             *       "organization_id": null,
             *       "department_id": null,
             *       "created_at": "2026-01-15T09:30:00.000Z",
             *       "updated_at": "2026-01-15T09:30:00.000Z"
             *     }
             */
            "application/json": {
              chatbot_id: string;
              name: string;
              /** @enum {string} */
              type: "3d" | "text" | "voice";
              avatar_id: string;
              /** @description BCP 47 */
              language: string;
              /** @enum {string} */
              status: "active" | "paused";
              owner_id: string;
              organization_id: string | null;
              department_id: string | null;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
              access?: {
                user_id: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                permissions: string[];
                /** @description Null without `view users` */
                list: {
                  user_id: string;
                  /** @enum {string} */
                  role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                  granted_by: string;
                  /** Format: date-time */
                  granted_at: string;
                  /** @description The name, if the user has a role in the chatbot’s department; otherwise null */
                  name: string | null;
                }[] | null;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Delete a chatbot
     * @description Deletes the chatbot permanently. One of several concurrent calls succeeds. Needs the permission "delete chatbot" (Owner, Admin).
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          chatbot_id: string;
        };
      };
      responses: {
        /** @description The chatbot is deleted */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Chatbot deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change a chatbot
     * @description Changes only the fields in the body. Needs the permission "edit chatbot" (Owner, Admin, Editor).
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          chatbot_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name?: string;
            /** @enum {string} */
            type?: "3d" | "text" | "voice";
            avatar_id?: string;
            language?: string;
            /** @enum {string} */
            status?: "active" | "paused";
          };
        };
      };
      responses: {
        /** @description The chatbot */
        200: {
          content: {
            /**
             * @example {
             *       "chatbot_id": "01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21",
             *       "name": "Receptionist",
             *       "type": "3d",
             *       "avatar_id": "avatar-7",
             *       "language": "en-GB",
             *       "status": "active",
             *       "owner_id": "User-483920",
             *       "organization_id": null,
             *       "department_id": null,
             *       "created_at": "2026-01-15T09:30:00.000Z",
             *       "updated_at": "2026-01-15T09:30:00.000Z"
             *     }
             */
            "application/json": {
              chatbot_id: string;
              name: string;
              /** @enum {string} */
              type: "3d" | "text" | "voice";
              avatar_id: string;
              /** @description BCP 47 */
              language: string;
              /** @enum {string} */
              status: "active" | "paused";
              owner_id: string;
              organization_id: string | null;
              department_id: string | null;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots/{chatbot_id}/duplicate": {
    /**
     * Duplicate a chatbot
     * @description Creates a copy in the same department, where the caller also needs a role that creates chatbots. The caller is its Owner. Its name ends in " (copy)"; a long name is cut to make room. Needs the permission "duplicate chatbot" (Owner, Admin, Editor).
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          chatbot_id: string;
        };
      };
      responses: {
        /** @description The chatbot */
        201: {
          content: {
            /**
             * @example {
             *       "chatbot_id": "01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21",
             *       "name": "Receptionist",
             *       "type": "3d",
             *       "avatar_id": "avatar-7",
             *       "language": "en-GB",
             *       "status": "active",
             *       "owner_id": "User-483920",
             *       "organization_id": null,
             *       "department_id": null,
             *       "created_at": "2026-01-15T09:30:00.000Z",
             *       "updated_at": "2026-01-15T09:30:00.000Z"
             *     }
             */
            "application/json": {
              chatbot_id: string;
              name: string;
              /** @enum {string} */
              type: "3d" | "text" | "voice";
              avatar_id: string;
              /** @description BCP 47 */
              language: string;
              /** @enum {string} */
              status: "active" | "paused";
              owner_id: string;
              organization_id: string | null;
              department_id: string | null;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots/{chatbot_id}/move": {
    /**
     * Move a chatbot
     * @description Moves the chatbot to another department, where the caller also needs a role that creates chatbots, or with null to the caller’s personal chatbots. Access-list entries of members of the target stay. The owner stays if they are a member there; otherwise the caller becomes the owner. Needs the permission "delete chatbot" (Owner, Admin).
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          chatbot_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            department_id: string | null;
          };
        };
      };
      responses: {
        /** @description The chatbot */
        200: {
          content: {
            /**
             * @example {
             *       "chatbot_id": "01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21",
             *       "name": "Receptionist",
             *       "type": "3d",
             *       "avatar_id": "avatar-7",
             *       "language": "en-GB",
             *       "status": "active",
             *       "owner_id": "User-483920",
             *       "organization_id": null,
             *       "department_id": null,
             *       "created_at": "2026-01-15T09:30:00.000Z",
             *       "updated_at": "2026-01-15T09:30:00.000Z"
             *     }
             */
            "application/json": {
              chatbot_id: string;
              name: string;
              /** @enum {string} */
              type: "3d" | "text" | "voice";
              avatar_id: string;
              /** @description BCP 47 */
              language: string;
              /** @enum {string} */
              status: "active" | "paused";
              owner_id: string;
              organization_id: string | null;
              department_id: string | null;
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots/{chatbot_id}/access": {
    /**
     * Read an access list
     * @description Lists the roles granted on this chatbot, its owner first. Members of its department who are not on the list have their role in the department. Entries on a personal chatbot have no name, because they need no consent. Needs the permission "view users" (Owner, Admin, Editor, Viewer).
     */
    get: {
      parameters: {
        path: {
          chatbot_id: string;
        };
      };
      responses: {
        /** @description The access list */
        200: {
          content: {
            "application/json": {
              chatbot_id: string;
              permissions: {
                user_id: string;
                /** @enum {string} */
                role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                granted_by: string;
                /** Format: date-time */
                granted_at: string;
                /** @description The name, if the user has a role in the chatbot’s department; otherwise null */
                name: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots/{chatbot_id}/access/me": {
    /**
     * Read your role on a chatbot
     * @description Returns the caller’s role and its permissions, for user interfaces and for platform services that hold the caller’s bearer token. In an archived department only the permissions to read are left. Needs any role here.
     */
    get: {
      parameters: {
        path: {
          chatbot_id: string;
        };
      };
      responses: {
        /** @description The role and its permissions */
        200: {
          content: {
            "application/json": {
              chatbot_id: string;
              user_id: string;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
              permissions: string[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chatbots/{chatbot_id}/access/{user_id}": {
    /**
     * Grant or change a role on a chatbot
     * @description Callers cannot grant or change a role above their own, and the last Owner who can act cannot be lowered. On a chatbot of a department, only members of the department can be granted a role. Needs the permission "assign roles" (Owner, Admin).
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          chatbot_id: string;
          user_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
          };
        };
      };
      responses: {
        /** @description The role, who granted it, and when */
        200: {
          content: {
            "application/json": {
              user_id: string;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Revoke a role on a chatbot
     * @description Removes the entry, so that a role in the department applies again. Callers cannot revoke a role above their own, nor give anyone, including themselves, a higher role by revoking. The last Owner who can act cannot be removed. When the owner is removed, the longest-serving other Owner on the list who can act takes their place. Needs the permission "remove users" (Owner, Admin), except for oneself.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          chatbot_id: string;
          user_id: string;
        };
      };
      responses: {
        /** @description The entry is removed */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Access revoked";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/me": {
    /**
     * Get your own level as an operator
     * @description Returns the level of the caller, and whether the session has a second factor. Needs to be an operator of the deployment.
     */
    get: {
      responses: {
        /** @description The caller */
        200: {
          content: {
            "application/json": {
              user_id: string;
              /** @enum {string} */
              level: "support" | "admin";
              /** Format: date-time */
              added_at: string;
              /** @description The user_id of an operator, or `command line` */
              added_by: string;
              /** @description Whether a second factor or a passkey was presented in this session */
              mfa: boolean;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/operators": {
    /**
     * List the operators
     * @description Lists the operators of the deployment, newest first. `search` is a user_id. Needs to be an operator of the deployment with the level `admin`.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "added_at";
          order?: "asc" | "desc";
          search?: string;
          level?: "support" | "admin";
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                user_id: string;
                /** @enum {string} */
                level: "support" | "admin";
                /** Format: date-time */
                added_at: string;
                /** @description The user_id of an operator, or `command line` */
                added_by: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/operators/{user_id}": {
    /**
     * Make somebody an operator
     * @description Makes an active account an operator, or changes the level of one. Nobody changes their own level, and one admin who can act always remains. With ADMIN_APPROVALS, a new admin answers 202 with the approval that another admin must give. Needs to be an operator of the deployment with the level `admin`.
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          user_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            level: "support" | "admin";
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The operator */
        200: {
          content: {
            "application/json": {
              user_id: string;
              /** @enum {string} */
              level: "support" | "admin";
              /** Format: date-time */
              added_at: string;
              /** @description The user_id of an operator, or `command line` */
              added_by: string;
            };
          };
        };
        /** @description The approval */
        202: {
          content: {
            "application/json": {
              approval_id: string;
              /** @enum {string} */
              act: "person.delete" | "operator.admin" | "support_session.full";
              /** @description The person whom the act is about */
              person_id: string;
              reason: string;
              /** @description The user_id of the operator who asked */
              requested_by: string;
              /** Format: date-time */
              requested_at: string;
              /**
               * Format: date-time
               * @description Until when it can be approved and used
               */
              expires_at: string;
              /**
               * @description `approved`: not carried out yet. `void`: the requester was no longer the operator who had asked
               * @enum {string}
               */
              status: "pending" | "expired" | "approved" | "carried_out" | "failed" | "rejected" | "void";
              decided_by: string | null;
              decided_at: string | null;
              /** @description The reason of the operator who decided */
              decision: string | null;
              carried_out_at: string | null;
              /** @description Why it could not be carried out */
              failure: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Remove an operator
     * @description The account is no operator any more, from its next call on. Admins may remove themselves while another admin who can act remains. Needs to be an operator of the deployment with the level `admin`.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          user_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The account is an ordinary one. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Operator removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/organizations": {
    /**
     * List all organizations
     * @description Lists the newest first. `search` is an organization_id, or the beginning of a name, ignoring case; those are listed by name. `plan` and `payment_status` match organizations with a department for which both are true. A `total_items` above 10,000 is not exact; `has_next` always is. A filter that takes longer than five seconds is 503. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "created_at";
          order?: "asc" | "desc";
          search?: string;
          archived?: "true" | "false";
          /** @description Organizations with a department on this plan */
          plan?: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
          payment_status?: "pending" | "paid" | "failed";
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                organization_id: string;
                name: string;
                /** Format: date-time */
                created_at: string;
                second_factor?: {
                  /** Format: date-time */
                  required_since: string;
                  /**
                   * Format: date-time
                   * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                   */
                  grace_ends_at: string;
                };
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
                /**
                 * @description The best plan that a department has paid
                 * @enum {string}
                 */
                plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
                owners_total: number;
                departments_total: number;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/organizations/{organization_id}": {
    /**
     * Read an organization as an operator
     * @description Returns its Owners and whether each can act, its departments with their plans, its quotas, and counts of what belongs to it. The operator gains no role by it. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        path: {
          organization_id: string;
        };
      };
      responses: {
        /** @description The organization, with what an operator needs to help */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
              /**
               * @description The best plan that a department has paid
               * @enum {string}
               */
              plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
              quotas: {
                departments: {
                  limit: number;
                  /** @description Whether an operator has set it; otherwise the plan does */
                  own: boolean;
                };
                /** @description Of each department; null where the plan of each department decides */
                members: {
                  limit: number | null;
                  /** @description Whether an operator has set it; otherwise the plan does */
                  own: boolean;
                };
              };
              owners: {
                user_id: string;
                name: string | null;
                email: string | null;
                /** @description Whether the account can act: active and verified */
                able: boolean;
                /** Format: date-time */
                granted_at: string;
              }[];
              /** @description 0: nobody can lead the organization */
              able_owners_total: number;
              /** @description At most 10,001 */
              people_total: number;
              departments_total: number;
              /** @description The first 100 */
              departments: {
                department_id: string;
                name: string;
                /** Format: date-time */
                created_at: string;
                /** @enum {string} */
                subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
                /** @enum {string} */
                payment_status: "pending" | "paid" | "failed";
                members_total: number;
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
              }[];
              connections: {
                connection_id: string;
                name: string;
                /** @enum {string} */
                protocol: "saml" | "oidc" | "ldap";
                enabled: boolean;
              }[];
              /** @description The first 100 */
              domains: {
                domain: string;
                verified: boolean;
                sso_required: boolean;
              }[];
              webhooks: {
                total: number;
                disabled: number;
                failing: number;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/organizations/{organization_id}/plan": {
    /**
     * Set the plan of a department as an operator
     * @description Each department has its own plan; the organization has the best one that is paid. `payment_status` is `paid` unless another is given, so that the plan counts at once. The change is in the billing history. A department of an archived organization, or an archived one, is 403. Needs to be an operator of the deployment with the level `admin`.
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            department_id: string;
            /** @enum {string} */
            subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
            /**
             * @default paid
             * @enum {string}
             */
            payment_status?: "pending" | "paid" | "failed";
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The billing record */
        200: {
          content: {
            "application/json": {
              department_id: string;
              /** @enum {string} */
              subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
              /** @enum {string} */
              payment_status: "pending" | "paid" | "failed";
              /**
               * Format: date
               * @description The date on which the plan was chosen
               */
              subscription_date: string;
              /** Format: date-time */
              updated_at: string;
              /**
               * Format: date-time
               * @description Since when the department or its organization is archived
               */
              ended_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/organizations/{organization_id}/quotas": {
    /**
     * Set the quotas of an organization as an operator
     * @description They replace those of the plan: `departments` of the organization, `members` of each of its departments. With null the plan decides again. Nobody is removed when a quota is lowered. Needs to be an operator of the deployment with the level `admin`.
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            departments: number | null;
            members: number | null;
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The organization, with what an operator needs to help */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
              /**
               * @description The best plan that a department has paid
               * @enum {string}
               */
              plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
              quotas: {
                departments: {
                  limit: number;
                  /** @description Whether an operator has set it; otherwise the plan does */
                  own: boolean;
                };
                /** @description Of each department; null where the plan of each department decides */
                members: {
                  limit: number | null;
                  /** @description Whether an operator has set it; otherwise the plan does */
                  own: boolean;
                };
              };
              owners: {
                user_id: string;
                name: string | null;
                email: string | null;
                /** @description Whether the account can act: active and verified */
                able: boolean;
                /** Format: date-time */
                granted_at: string;
              }[];
              /** @description 0: nobody can lead the organization */
              able_owners_total: number;
              /** @description At most 10,001 */
              people_total: number;
              departments_total: number;
              /** @description The first 100 */
              departments: {
                department_id: string;
                name: string;
                /** Format: date-time */
                created_at: string;
                /** @enum {string} */
                subscription_plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
                /** @enum {string} */
                payment_status: "pending" | "paid" | "failed";
                members_total: number;
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
              }[];
              connections: {
                connection_id: string;
                name: string;
                /** @enum {string} */
                protocol: "saml" | "oidc" | "ldap";
                enabled: boolean;
              }[];
              /** @description The first 100 */
              domains: {
                domain: string;
                verified: boolean;
                sso_required: boolean;
              }[];
              webhooks: {
                total: number;
                disabled: number;
                failing: number;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/organizations/{organization_id}/owners": {
    /**
     * Give an organization an Owner when none can act
     * @description For an organization whose Owners are gone, disabled or paused. While one of them can act it is 403: they offer ownership themselves. Operators cannot make themselves an Owner. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            user_id: string;
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description An Owner of the organization */
        201: {
          content: {
            "application/json": {
              user_id: string;
              granted_by: string;
              /** Format: date-time */
              granted_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/organizations/{organization_id}/archive": {
    /**
     * Archive an organization as an operator
     * @description Closes it as its Owners can: it is read-only, and deleted for good after 30 days unless it is restored. Has no effect on an organization that is archived already. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The organization */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/organizations/{organization_id}/restore": {
    /**
     * Restore an archived organization as an operator
     * @description Undoes the archiving as its Owners can. The plan of each department is `pending` again. Once the deletion has begun, it is 404. Has no effect on an organization that is not archived. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          organization_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The organization */
        200: {
          content: {
            "application/json": {
              organization_id: string;
              name: string;
              /** Format: date-time */
              created_at: string;
              second_factor?: {
                /** Format: date-time */
                required_since: string;
                /**
                 * Format: date-time
                 * @description From then on, a member without a second factor gets 403 `ENROLLMENT_REQUIRED`
                 */
                grace_ends_at: string;
              };
              /** Format: date-time */
              archived_at?: string;
              /**
               * Format: date-time
               * @description When the archived place is deleted for good
               */
              deletes_at?: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/audit": {
    /**
     * List the audit events of everybody
     * @description Lists the events of the last 400 days, newest first. `search` matches the actions. A `total_items` above 10,000 is not exact; `has_next` always is. `Accept: text/csv` or `application/x-ndjson` without `application/json`, or `format`, streams every event that matches instead of a page, as CSV or as one JSON object per line. That needs the level `admin`, and is itself audited. A filter that takes longer than five seconds is 503: name an account, an organization or a shorter period. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          action?: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
          outcome?: string;
          organization_id?: string;
          department_id?: string;
          address?: string;
          request_id?: string;
          page?: number;
          limit?: number;
          sort_by?: "at";
          order?: "asc" | "desc";
          search?: string;
          /** @description The account that acted: its user_id or e-mail address */
          actor?: string;
          /** @description The account that the action changed: its user_id or e-mail address */
          target?: string;
          /** @description Events at this time or later */
          from?: string;
          /** @description Events before this time; by default now */
          to?: string;
          format?: "json" | "csv" | "jsonl";
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                event_id: string;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                action: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
                /** @description `success`, or why the attempt was refused */
                outcome: string;
                /** @description The account that acted, or that a call without a bearer names; nulls for a service of the platform */
                actor: {
                  user_id: string | null;
                  email: string | null;
                  /** @description The machine key that was used */
                  key_id?: string;
                };
                /** @description Whom or what the action changed, apart from the actor */
                target: {
                  user_id?: string;
                  email?: string;
                  chatbot_id?: string;
                  invitation_id?: string;
                  webhook_id?: string;
                  session_id?: string;
                  connection_id?: string;
                  domain_id?: string;
                  export_id?: string;
                  key_id?: string;
                  service_account_id?: string;
                };
                /** @description The changed fields, before; never a secret */
                before: {
                  [key: string]: string | string[] | null;
                } | null;
                /** @description The changed fields, after; never a secret */
                after: {
                  [key: string]: string | string[] | null;
                } | null;
                organization_id: string | null;
                department_id: string | null;
                /** @description The address of the client */
                address: string | null;
                request_id: string;
                /** @description The user_id of the operator who acted as the actor, in a support session */
                operator?: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
            "text/csv": string;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/webhooks": {
    /**
     * List webhooks that fail or are disabled
     * @description Lists the webhooks of everybody whose every attempt fails (`failing`, the default) or that were disabled (`disabled`): the one in trouble for longest first, or last with `order=desc`. No secret, path, header or body is shown. `search` is not used. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "since";
          order?: "asc" | "desc";
          state?: "failing" | "disabled";
          organization_id?: string;
          owner_id?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                webhook_id: string;
                owner_id: string | null;
                organization_id: string | null;
                department_id: string | null;
                name: string | null;
                /** @description The URL without its path, which may hold a key */
                origin: string;
                /** @enum {string} */
                status: "active" | "paused" | "disabled";
                failing_since: string | null;
                disabled_at: string | null;
                disabled_reason: ("gone" | "failing") | null;
                consecutive_failures: number;
                /** @description Pending deliveries, counted up to 100,000 */
                backlog: number;
                oldest_pending_at: string | null;
                /** @description The latest failed attempt that is known; its body is not shown */
                last_error: {
                  /** Format: date-time */
                  at: string;
                  status: number | null;
                  error: string | null;
                } | null;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/jobs": {
    /**
     * Read the state of the background jobs
     * @description Lists each job of the user service with what is due and when it last ran in any process, and each repair with the marks that are left. A mark is there for a moment while a call is under way; one that stays is repaired by the next start. Needs to be an operator of the deployment.
     */
    get: {
      responses: {
        /** @description The jobs and repairs of the user service */
        200: {
          content: {
            "application/json": {
              jobs: {
                name: string;
                every_seconds: number;
                completes: string;
                /** @description What is due, counted up to 1,000; null if nothing can wait */
                waiting: number | null;
                /** @description Since when the oldest of it is due */
                waiting_since: string | null;
                /** @description In any process, to ten seconds */
                last_run_at: string | null;
                last_failure_at: string | null;
                /** @description The name of the error; the log has the rest */
                last_failure: string | null;
                /** @description Whether it has not run, or something has been due, for ten intervals and five minutes */
                stuck: boolean;
              }[];
              /** @description What a start of the service repairs, in its order */
              repairs: {
                name: string;
                /** @description The field that means “complete me” */
                mark: string | null;
                /** @description Documents with the mark, counted up to 1,000 */
                left: number | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/settings-check": {
    /**
     * Check the settings of the user service
     * @description Makes the checks of `npx gatehouse doctor` that a running user service can make of itself: whether its settings are safe, MongoDB with its version, clock and indexes, the mail server, its clock and its DNS, and the certificates of PUBLIC_URL and of SAML connections. It writes nothing, sends no mail and shows no value of a secret. Each check ends within eight seconds. The command also looks at every record, and at the settings of the gateway and the login service. Needs to be an operator of the deployment with the level `admin`.
     */
    get: {
      responses: {
        /** @description What was found, failures first */
        200: {
          content: {
            "application/json": {
              /** Format: date-time */
              checked_at: string;
              data: {
                check: string;
                /**
                 * @description `fail`: something does not work; `warn`: it works, but something will go wrong, or production would refuse to start
                 * @enum {string}
                 */
                status: "fail" | "warn" | "ok";
                found: string;
                /** @description What to do; null when all is well */
                advice: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/figures": {
    /**
     * Read the figures of the deployment
     * @description Counts by hour (of up to 31 days, by default the last one) or by UTC day (of up to 400 days, by default the last 30). A part of an hour counts as the whole hour, a part of a day as the day. Figures are up to two minutes late, and those of mails and webhooks lose ten seconds when a process is killed. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          by?: "hour" | "day";
          from?: string;
          /** @description By default now */
          to?: string;
        };
      };
      responses: {
        /** @description The figures, oldest first, with zeros where nothing happened */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              by: "hour" | "day";
              /** Format: date-time */
              from: string;
              /** Format: date-time */
              to: string;
              /** @description Audit events before this time are counted; null before the first count */
              counted_until: string | null;
              data: {
                /**
                 * Format: date-time
                 * @description When the hour or the UTC day began
                 */
                at: string;
                signups: number;
                verifications: number;
                /** @description With single sign-on */
                logins: number;
                /** @description Without those that were not stored, see Audit */
                refused_logins: number;
                /** @description By reason */
                refused_for: {
                  [key: string]: number;
                };
                codes_mailed: number;
                /** @description All other mails */
                notices_mailed: number;
                mails_failed: number;
                webhook_deliveries: number;
                /** @description Attempts that failed */
                webhook_failures: number;
                account_deletions: number;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/attention": {
    /**
     * Read what needs an operator
     * @description Empty if nothing does: jobs that are stuck, mails that fail, webhooks that fail or are disabled, certificates of SAML connections that end within 30 days without a successor, and approvals that wait. Counts go up to 1,000. Needs to be an operator of the deployment.
     */
    get: {
      responses: {
        /** @description What needs attention, errors first */
        200: {
          content: {
            "application/json": {
              data: {
                /** @enum {string} */
                kind: "jobs_stuck" | "mails_failing" | "webhooks_disabled" | "webhooks_failing" | "certificates_expiring" | "approvals_pending";
                /** @enum {string} */
                severity: "warning" | "error";
                count: number;
                text: string;
                /** @description Of jobs, connections; the first ten */
                names: string[];
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/approvals": {
    /**
     * List approvals
     * @description Lists the acts that wait for a second operator or were decided, newest first. `status=pending` includes those that have expired. `search` is a person_id. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          status?: "pending" | "approved" | "rejected" | "void";
          act?: "person.delete" | "operator.admin" | "support_session.full";
          page?: number;
          limit?: number;
          sort_by?: "requested_at";
          order?: "asc" | "desc";
          search?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                approval_id: string;
                /** @enum {string} */
                act: "person.delete" | "operator.admin" | "support_session.full";
                /** @description The person whom the act is about */
                person_id: string;
                reason: string;
                /** @description The user_id of the operator who asked */
                requested_by: string;
                /** Format: date-time */
                requested_at: string;
                /**
                 * Format: date-time
                 * @description Until when it can be approved and used
                 */
                expires_at: string;
                /**
                 * @description `approved`: not carried out yet. `void`: the requester was no longer the operator who had asked
                 * @enum {string}
                 */
                status: "pending" | "expired" | "approved" | "carried_out" | "failed" | "rejected" | "void";
                decided_by: string | null;
                decided_at: string | null;
                /** @description The reason of the operator who decided */
                decision: string | null;
                carried_out_at: string | null;
                /** @description Why it could not be carried out */
                failure: string | null;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/approvals/{approval_id}/approve": {
    /**
     * Approve what another operator has asked for
     * @description Within 24 hours, once, and never by the operator who asked. A deletion is carried out at once, or by a job if that is interrupted: `status` is then `approved` for a while. A full support session is opened by its requester, who repeats the call. 409 if it has expired or been decided, or if the requester is no longer the operator who asked. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          approval_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The approval */
        200: {
          content: {
            "application/json": {
              approval_id: string;
              /** @enum {string} */
              act: "person.delete" | "operator.admin" | "support_session.full";
              /** @description The person whom the act is about */
              person_id: string;
              reason: string;
              /** @description The user_id of the operator who asked */
              requested_by: string;
              /** Format: date-time */
              requested_at: string;
              /**
               * Format: date-time
               * @description Until when it can be approved and used
               */
              expires_at: string;
              /**
               * @description `approved`: not carried out yet. `void`: the requester was no longer the operator who had asked
               * @enum {string}
               */
              status: "pending" | "expired" | "approved" | "carried_out" | "failed" | "rejected" | "void";
              decided_by: string | null;
              decided_at: string | null;
              /** @description The reason of the operator who decided */
              decision: string | null;
              carried_out_at: string | null;
              /** @description Why it could not be carried out */
              failure: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/approvals/{approval_id}/reject": {
    /**
     * Reject what an operator has asked for
     * @description Also withdraws what the caller has asked for. 409 if it has expired or been decided. Nothing is carried out. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          approval_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The approval */
        200: {
          content: {
            "application/json": {
              approval_id: string;
              /** @enum {string} */
              act: "person.delete" | "operator.admin" | "support_session.full";
              /** @description The person whom the act is about */
              person_id: string;
              reason: string;
              /** @description The user_id of the operator who asked */
              requested_by: string;
              /** Format: date-time */
              requested_at: string;
              /**
               * Format: date-time
               * @description Until when it can be approved and used
               */
              expires_at: string;
              /**
               * @description `approved`: not carried out yet. `void`: the requester was no longer the operator who had asked
               * @enum {string}
               */
              status: "pending" | "expired" | "approved" | "carried_out" | "failed" | "rejected" | "void";
              decided_by: string | null;
              decided_at: string | null;
              /** @description The reason of the operator who decided */
              decision: string | null;
              carried_out_at: string | null;
              /** @description Why it could not be carried out */
              failure: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/support-sessions": {
    /**
     * Open a support session
     * @description Opens the account of a person for 5 to 60 minutes: `read` to look at it, `full` to act within limits, which needs the level `admin`. The person is told by mail and can end it. Operators have no support sessions, nor have accounts that are not active. With ADMIN_APPROVALS, a full one answers 202 until another admin has approved it; the same call then opens it. Needs to be an operator of the deployment.
     */
    post: {
      parameters: {
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            mode: "read" | "full";
            minutes: number;
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The support session has begun */
        201: {
          content: {
            "application/json": {
              session_id: string;
              /** Format: date-time */
              expires_at: string;
              /** @description Opens the session in the account pages; it holds the token */
              link: string;
            };
          };
        };
        /** @description Another admin must approve first */
        202: {
          content: {
            "application/json": {
              approval_id: string;
              /** @enum {string} */
              act: "person.delete" | "operator.admin" | "support_session.full";
              /** @description The person whom the act is about */
              person_id: string;
              reason: string;
              /** @description The user_id of the operator who asked */
              requested_by: string;
              /** Format: date-time */
              requested_at: string;
              /**
               * Format: date-time
               * @description Until when it can be approved and used
               */
              expires_at: string;
              /**
               * @description `approved`: not carried out yet. `void`: the requester was no longer the operator who had asked
               * @enum {string}
               */
              status: "pending" | "expired" | "approved" | "carried_out" | "failed" | "rejected" | "void";
              decided_by: string | null;
              decided_at: string | null;
              /** @description The reason of the operator who decided */
              decision: string | null;
              carried_out_at: string | null;
              /** @description Why it could not be carried out */
              failure: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/support-sessions": {
    /**
     * List support sessions
     * @description Lists the support sessions of all operators, also those that are over, newest first, for 400 days. `search` matches the reason. A `total_items` above 10,000 is not exact; `has_next` always is. A search that takes longer than five seconds is 503. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          person_id?: string;
          operator?: string;
          mode?: "read" | "full";
          page?: number;
          limit?: number;
          sort_by?: "began_at";
          order?: "asc" | "desc";
          search?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                session_id: string;
                person_id: string;
                /** @description The user_id of the operator */
                operator: string;
                /** @enum {string} */
                mode: "read" | "full";
                reason: string;
                /** Format: date-time */
                began_at: string;
                /** Format: date-time */
                expires_at: string;
                /** @description When an operator ended it */
                ended_at: string | null;
                /** @description Whether its token is still accepted */
                live: boolean;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/support-sessions/{session_id}": {
    /**
     * End a support session
     * @description Refuses its token from now on. Operators end their own support sessions, admins those of all. Needs to be an operator of the deployment.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          session_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The session has ended. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Support session ended";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/keys": {
    /**
     * Find keys
     * @description Returns the keys of an `owner`, a person_id or a service_account_id, the newest first; or the one with a `key_id`, such as that of a key that was found where it should not be. No answer holds a secret. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          owner?: string;
          /** @description The part of the key between `gh_` and the second `_` */
          key_id?: string;
        };
      };
      responses: {
        /** @description The keys */
        200: {
          content: {
            "application/json": {
              keys: {
                /** @description The part of the key between `gh_` and the second `_` */
                key_id: string;
                name: string;
                permissions: ("create chatbot" | "edit chatbot" | "duplicate chatbot" | "delete chatbot" | "view chatbot" | "view users" | "view billing" | "manage payment" | "upgrade/downgrade plan" | "view analytics" | "export data" | "custom reports" | "edit system prompts" | "view prompts" | "upload files" | "add URLs" | "manage Q&A" | "view knowledge base" | "view organizations" | "view profile" | "edit profile" | "view audit" | "manage webhooks" | "platform" | "view admin" | "admin")[];
                /** @description In CIDR notation; empty: the key works everywhere */
                networks: string[];
                /** @description Null: the key does not expire */
                expires_at: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description The user_id of whoever made it */
                created_by: string;
                /** @description To the hour; null until the first use */
                last_used_at: string | null;
                rotated_at: string | null;
                /** @description Until when the secret before the last rotation works as well */
                overlap_until: string | null;
                /** @description A person_id or a service_account_id */
                owner: string;
                /** @description Of a service account */
                organization_id: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/keys/{key_id}": {
    /**
     * Delete a key of anybody
     * @description For a key that was found where it should not be. It opens nothing any more, at the gateway within PRINCIPAL_CACHE_MS. Needs to be an operator of the deployment with the level `admin`.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          key_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The key opens nothing any more. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Key deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people": {
    /**
     * Find people
     * @description Finds people by `search`: the beginning of an e-mail address, the beginning of any words of the name, or a whole user_id. A new name is found after some seconds. `state` filters. Without `search`, newest first. Counts up to 1,000 people; pages beyond are refused. A search that takes longer than five seconds is 503. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "created_at";
          order?: "asc" | "desc";
          search?: string;
          state?: "active" | "unverified" | "paused" | "disabled" | "deletion_requested" | "second_factor" | "factor_reset" | "imported";
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                /** @description Names the person in paths: the user_id, or the id of a record without one */
                person_id: string;
                user_id: string | null;
                email: string;
                name: string;
                /** @enum {string} */
                state: "active" | "unverified" | "paused" | "disabled";
                /** Format: date-time */
                created_at: string;
                plan: string | null;
                second_factor: boolean;
                passkeys: boolean;
                deletion_due_at: string | null;
                imported_from: string | null;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}": {
    /**
     * Get a person
     * @description Returns what an operator needs to help: state, plan, ways to log in, roles, sessions and what is pending. Never a secret. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        path: {
          person_id: string;
        };
      };
      responses: {
        /** @description The person */
        200: {
          content: {
            "application/json": {
              /** @description Names the person in paths: the user_id, or the id of a record without one */
              person_id: string;
              user_id: string | null;
              email: string;
              name: string;
              /** @enum {string} */
              state: "active" | "unverified" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              plan: string | null;
              second_factor: boolean;
              passkeys: boolean;
              deletion_due_at: string | null;
              imported_from: string | null;
              account_status: string;
              verified: boolean;
              payment_status: string;
              plan_expires: string | null;
              language: string | null;
              last_login_at: string | null;
              operator: ("support" | "admin") | null;
              /**
               * @description `imported`: the hash of another system, which the next login replaces
               * @enum {string}
               */
              password: "set" | "imported" | "none";
              /** @description The second factor, with the number of unused recovery codes */
              factor: {
                /** Format: date-time */
                enrolled_at: string;
                recovery_codes: number;
                reset_at: string | null;
              } | null;
              passkey_count: number;
              links: {
                link_id: string;
                provider: string;
                /** @description The address that the provider sent */
                email: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour */
                last_login_at: string | null;
              }[];
              identities: {
                connection_id: string;
                email: string;
                last_login_at: string | null;
                gone_at: string | null;
              }[];
              organizations: {
                organization_id: string;
                name: string;
                /** @description `Owner` of the organization, or null */
                role: "Owner" | null;
                /** Format: date-time */
                archived_at?: string;
                /**
                 * Format: date-time
                 * @description When the archived place is deleted for good
                 */
                deletes_at?: string;
                departments: {
                  department_id: string;
                  name: string;
                  /** @enum {string} */
                  role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
                  /** Format: date-time */
                  archived_at?: string;
                  /**
                   * Format: date-time
                   * @description When the archived place is deleted for good
                   */
                  deletes_at?: string;
                }[];
              }[];
              sessions: {
                /** @description Names the session; it is not a credential */
                session_id: string;
                /** @description What the person calls the device */
                name: string | null;
                /** @description The browser or program and the operating system by name, null if unknown, and the first 300 characters of the `User-Agent` header */
                device: {
                  browser: string | null;
                  os: string | null;
                  user_agent: string;
                };
                /** @description The address of the client at the last use */
                address: string;
                /** @description The approximate place of the address, null if it is unknown: the country by ISO 3166-1 and the city in English */
                place: {
                  country: string;
                  city: string | null;
                } | null;
                /** Format: date-time */
                began_at: string;
                /**
                 * Format: date-time
                 * @description When the session began or was last extended; of the current session, now
                 */
                last_used_at: string;
                /** @description The operator whose session it is, by their user_id */
                support?: {
                  /** @enum {string} */
                  mode: "read" | "full";
                  operator: string;
                };
              }[];
              email_change: {
                email: string;
              } | null;
              deletion: {
                /** Format: date-time */
                requested_at: string;
                /** Format: date-time */
                due_at: string;
                begun: boolean;
              } | null;
              imported: {
                from: string;
                /** Format: date-time */
                at: string;
                id: string | null;
              } | null;
              /** @description Whether SCIM has disabled the account */
              disabled_by_directory: boolean;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/login-diagnosis": {
    /**
     * Find out why a person cannot log in
     * @description Says in English what keeps a person from logging in, what may, and what is known of their latest attempts. Without a finding that `blocks`, nothing in the database refuses them. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        path: {
          person_id: string;
        };
      };
      responses: {
        /** @description The findings: what blocks first, then what warns */
        200: {
          content: {
            "application/json": {
              data: {
                /** @description Names the kind; only `attempt` repeats */
                finding: string;
                /**
                 * @description `blocks` refuses a login, `warns` may be why it fails, `info` is what helps to tell
                 * @enum {string}
                 */
                severity: "blocks" | "warns" | "info";
                text: string;
                /** @description What the operator or the person can do */
                advice: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/audit": {
    /**
     * List the audit events of a person
     * @description Lists what the person did, what was attempted with their e-mail address, and what others changed about them, newest first. `search` matches the actions. Needs to be an operator of the deployment.
     */
    get: {
      parameters: {
        query?: {
          action?: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
          page?: number;
          limit?: number;
          sort_by?: "at";
          order?: "asc" | "desc";
          search?: string;
          /** @description Events at this time or later */
          from?: string;
          /** @description Events before this time */
          to?: string;
        };
        path: {
          person_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                event_id: string;
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                action: "signup" | "verify" | "forgot" | "reset" | "login" | "login.code" | "refresh" | "logout" | "session.end" | "session.end_others" | "session.confirm" | "factor.enroll" | "factor.disable" | "factor.recovery_codes" | "factor.reset" | "passkey.add" | "passkey.rename" | "passkey.remove" | "key.create" | "key.update" | "key.rotate" | "key.delete" | "service_account.create" | "service_account.update" | "service_account.delete" | "profile.update" | "password.change" | "link.add" | "link.remove" | "account.export" | "account.import" | "account.delete_requested" | "account.restore" | "account.delete" | "email.request" | "email.change" | "email.undo" | "chatbot.create" | "chatbot.update" | "chatbot.delete" | "chatbot.duplicate" | "chatbot.move" | "access.grant" | "access.revoke" | "organization.update" | "organization.archive" | "organization.restore" | "organization.delete" | "owner.add" | "owner.remove" | "department.create" | "department.update" | "department.archive" | "department.restore" | "department.delete" | "member.grant" | "member.remove" | "invitation.create" | "invitation.accept" | "invitation.decline" | "invitation.withdraw" | "invitation.resend" | "billing.plan" | "billing.payment" | "export.create" | "export.download" | "export.delete" | "webhook.create" | "webhook.update" | "webhook.rotate" | "webhook.delete" | "webhook.cancel" | "webhook.disable" | "sso.login" | "sso.logout" | "sso.link" | "sso.unlink" | "connection.create" | "connection.update" | "connection.delete" | "domain.add" | "domain.verify" | "domain.update" | "domain.remove" | "scim.user" | "scim.group" | "admin.approval_request" | "admin.approve" | "admin.reject" | "admin.operator_set" | "admin.operator_remove" | "admin.person_disable" | "admin.person_enable" | "admin.person_verify" | "admin.person_end_sessions" | "admin.person_end_session" | "admin.key_delete" | "admin.person_reset_factor" | "admin.person_restore" | "admin.person_delete" | "admin.person_plan" | "admin.support_session" | "admin.support_session_end" | "admin.audit_export" | "admin.organization_plan" | "admin.organization_quotas" | "admin.owner_add" | "admin.organization_archive" | "admin.organization_restore";
                /** @description `success`, or why the attempt was refused */
                outcome: string;
                /** @description The account that acted, or that a call without a bearer names; nulls for a service of the platform */
                actor: {
                  user_id: string | null;
                  email: string | null;
                  /** @description The machine key that was used */
                  key_id?: string;
                };
                /** @description Whom or what the action changed, apart from the actor */
                target: {
                  user_id?: string;
                  email?: string;
                  chatbot_id?: string;
                  invitation_id?: string;
                  webhook_id?: string;
                  session_id?: string;
                  connection_id?: string;
                  domain_id?: string;
                  export_id?: string;
                  key_id?: string;
                  service_account_id?: string;
                };
                /** @description The changed fields, before; never a secret */
                before: {
                  [key: string]: string | string[] | null;
                } | null;
                /** @description The changed fields, after; never a secret */
                after: {
                  [key: string]: string | string[] | null;
                } | null;
                organization_id: string | null;
                department_id: string | null;
                /** @description The address of the client */
                address: string | null;
                request_id: string;
                /** @description The user_id of the operator who acted as the actor, in a support session */
                operator?: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/disable": {
    /**
     * Disable an account
     * @description Ends every session, and no login works until an operator enables the account. A directory does not enable it again. A disabled account stays as it is. 403 for an operator, who is removed as one first. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The person */
        200: {
          content: {
            "application/json": {
              /** @description Names the person in paths: the user_id, or the id of a record without one */
              person_id: string;
              user_id: string | null;
              email: string;
              name: string;
              /** @enum {string} */
              state: "active" | "unverified" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              plan: string | null;
              second_factor: boolean;
              passkeys: boolean;
              deletion_due_at: string | null;
              imported_from: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/enable": {
    /**
     * Enable an account
     * @description The person can log in again; an account whose address is not verified is paused until it is. Sessions stay ended. An account that is not disabled stays as it is. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The person */
        200: {
          content: {
            "application/json": {
              /** @description Names the person in paths: the user_id, or the id of a record without one */
              person_id: string;
              user_id: string | null;
              email: string;
              name: string;
              /** @enum {string} */
              state: "active" | "unverified" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              plan: string | null;
              second_factor: boolean;
              passkeys: boolean;
              deletion_due_at: string | null;
              imported_from: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/verify": {
    /**
     * Verify the address of a person
     * @description Marks the address as verified without a code, as the right code does: the account becomes active, with the password of its latest signup, and accepts the invitations to its address. A disabled account stays disabled, a verified one as it is. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The person */
        200: {
          content: {
            "application/json": {
              /** @description Names the person in paths: the user_id, or the id of a record without one */
              person_id: string;
              user_id: string | null;
              email: string;
              name: string;
              /** @enum {string} */
              state: "active" | "unverified" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              plan: string | null;
              second_factor: boolean;
              passkeys: boolean;
              deletion_due_at: string | null;
              imported_from: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/end-sessions": {
    /**
     * End every session of a person
     * @description The person has to log in again on every device. Needs to be an operator of the deployment.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The person */
        200: {
          content: {
            "application/json": {
              /** @description Names the person in paths: the user_id, or the id of a record without one */
              person_id: string;
              user_id: string | null;
              email: string;
              name: string;
              /** @enum {string} */
              state: "active" | "unverified" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              plan: string | null;
              second_factor: boolean;
              passkeys: boolean;
              deletion_due_at: string | null;
              imported_from: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/sessions/{session_id}": {
    /**
     * End one session of a person
     * @description Refuses its tokens from now on. The person has to log in again on that device only. Needs to be an operator of the deployment.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
          session_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The session has ended. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Session ended";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/reset-factor": {
    /**
     * Reset the second factor of a person
     * @description For a person who has lost the device and the recovery codes. The second factor ends a day later; they are told by mail at once, and cancel it by using a code before. A repeated call answers the date of the first. Needs to be an operator of the deployment.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description When it ends */
        200: {
          content: {
            "application/json": {
              /** Format: date-time */
              reset_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/restore": {
    /**
     * Cancel the deletion of a person
     * @description The account stays, as after a login. One whose deletion nobody has asked for stays as it is; one whose deletion has begun cannot be restored. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The person */
        200: {
          content: {
            "application/json": {
              /** @description Names the person in paths: the user_id, or the id of a record without one */
              person_id: string;
              user_id: string | null;
              email: string;
              name: string;
              /** @enum {string} */
              state: "active" | "unverified" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              plan: string | null;
              second_factor: boolean;
              passkeys: boolean;
              deletion_due_at: string | null;
              imported_from: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/delete": {
    /**
     * Ask for the deletion of a person
     * @description As if the person had asked: every session ends, any login within the days of ACCOUNT_DELETION_DAYS restores the account, and a mail says so. With ADMIN_APPROVALS, 202 with the approval that another admin must give. A repeated call answers the dates of the first. 403 for an operator, who is removed as one first. Needs to be an operator of the deployment with the level `admin`.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description When the account will be deleted */
        200: {
          content: {
            "application/json": {
              /** Format: date-time */
              requested_at: string;
              /** Format: date-time */
              due_at: string;
            };
          };
        };
        /** @description The approval */
        202: {
          content: {
            "application/json": {
              approval_id: string;
              /** @enum {string} */
              act: "person.delete" | "operator.admin" | "support_session.full";
              /** @description The person whom the act is about */
              person_id: string;
              reason: string;
              /** @description The user_id of the operator who asked */
              requested_by: string;
              /** Format: date-time */
              requested_at: string;
              /**
               * Format: date-time
               * @description Until when it can be approved and used
               */
              expires_at: string;
              /**
               * @description `approved`: not carried out yet. `void`: the requester was no longer the operator who had asked
               * @enum {string}
               */
              status: "pending" | "expired" | "approved" | "carried_out" | "failed" | "rejected" | "void";
              decided_by: string | null;
              decided_at: string | null;
              /** @description The reason of the operator who decided */
              decision: string | null;
              carried_out_at: string | null;
              /** @description Why it could not be carried out */
              failure: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/admin/people/{person_id}/plan": {
    /**
     * Change the plan of a person
     * @description Changes `subscription_plan`, which decides about rate limits and quotas. Needs to be an operator of the deployment with the level `admin`.
     */
    put: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          person_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            plan: "Free" | "Starter" | "Professional" | "Business" | "Enterprise";
            /** @description Why; the person or organization concerned can read it in their audit */
            reason: string;
          };
        };
      };
      responses: {
        /** @description The person */
        200: {
          content: {
            "application/json": {
              /** @description Names the person in paths: the user_id, or the id of a record without one */
              person_id: string;
              user_id: string | null;
              email: string;
              name: string;
              /** @enum {string} */
              state: "active" | "unverified" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              plan: string | null;
              second_factor: boolean;
              passkeys: boolean;
              deletion_due_at: string | null;
              imported_from: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/configure": {
    /**
     * Configure a webhook
     * @description The webhook is active immediately and receives later events. Its host must have only public addresses, and the operator must allow its port, by default 80, 443 or 8000 to 9999. The secret signs every delivery and is never returned. With a `department_id` or `organization_id`, the webhook belongs to that department or organization instead of the caller. It then receives the events of the department, or of the organization and all of its departments. The Owners and Admins there manage it, and it stays when the caller leaves. The plan limits the number of webhooks. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** Format: uri */
            url: string;
            events: ("chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled")[];
            /** @description 8 to 256 characters, none of them a control character (U+0000 to U+001F and U+007F to U+009F) or an unpaired surrogate. Used exactly as given */
            secret: string;
            organization_id?: string;
            department_id?: string;
            /**
             * @description For people; null for none
             * @default null
             */
            name?: string | null;
            /**
             * @description For people; null for none
             * @default null
             */
            description?: string | null;
            /**
             * @description Receive only events of these chatbots; empty for all events, including those without a chatbot. A change applies to later events
             * @default []
             */
            chatbot_ids?: string[];
            /** @default {} */
            headers?: {
              [key: string]: string;
            };
          };
        };
      };
      responses: {
        /** @description The webhook is configured */
        201: {
          content: {
            "application/json": {
              webhook_id: string;
              /** @enum {string} */
              status: "active";
              /** Format: date-time */
              created_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks": {
    /**
     * List webhooks
     * @description Lists the webhooks that the caller manages: their own, and those of their organizations and departments. `organization_id` and `department_id` filter by tenant; those of an organization include those of its departments. `search` matches any part of the URL or name, ignoring case. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    get: {
      parameters: {
        query?: {
          status?: "active" | "paused" | "disabled";
          organization_id?: string;
          department_id?: string;
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "updated_at" | "url" | "status" | "name" | "webhook_id";
          order?: "asc" | "desc";
          search?: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                webhook_id: string;
                /** @description The account; null for the webhook of an organization or department */
                owner_id: string | null;
                organization_id: string | null;
                department_id: string | null;
                /** @description The account that configured it */
                created_by: string | null;
                name: string | null;
                description: string | null;
                url: string;
                events: ("chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled")[];
                /** @description Empty for every event */
                chatbot_ids: string[];
                /** @description The custom headers; every value is masked */
                headers: {
                  [key: string]: string;
                };
                /** @enum {string} */
                status: "active" | "paused" | "disabled";
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
                /** @description Until then, the previous secret also signs */
                previous_secret_until: string | null;
                health: {
                  last_success_at: string | null;
                  last_failure_at: string | null;
                  /** @description Failed attempts since the last success, activation or change of the URL */
                  consecutive_failures: number;
                  /** @description `gone`: the receiver answered 410. `failing`: every attempt failed for three days. Null if the webhook is not disabled */
                  disabled_reason: ("gone" | "failing") | null;
                  disabled_at: string | null;
                };
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}": {
    /**
     * Read a webhook
     * @description Returns everything but the secret and the values of its headers. A webhook that the caller does not manage returns 404. With `include=details`, also returns its health, as `GET …/health` does, and the names of its organization and department. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    get: {
      parameters: {
        query?: {
          include?: "details";
        };
        path: {
          webhook_id: string;
        };
      };
      responses: {
        /** @description The webhook */
        200: {
          content: {
            "application/json": {
              webhook_id: string;
              /** @description The account; null for the webhook of an organization or department */
              owner_id: string | null;
              organization_id: string | null;
              department_id: string | null;
              /** @description The account that configured it */
              created_by: string | null;
              name: string | null;
              description: string | null;
              url: string;
              events: ("chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled")[];
              /** @description Empty for every event */
              chatbot_ids: string[];
              /** @description The custom headers; every value is masked */
              headers: {
                [key: string]: string;
              };
              /** @enum {string} */
              status: "active" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
              /** @description Until then, the previous secret also signs */
              previous_secret_until: string | null;
              health: {
                last_success_at: string | null;
                last_failure_at: string | null;
                /** @description Failed attempts since the last success, activation or change of the URL */
                consecutive_failures: number;
                /** @description `gone`: the receiver answered 410. `failing`: every attempt failed for three days. Null if the webhook is not disabled */
                disabled_reason: ("gone" | "failing") | null;
                disabled_at: string | null;
              };
              details?: {
                organization_name: string | null;
                /** @description Null if it belongs to no department */
                department_name: string | null;
                /** @description The health of the webhook */
                health: {
                  last_success_at: string | null;
                  last_failure_at: string | null;
                  /** @description Failed attempts since the last success, activation or change of the URL */
                  consecutive_failures: number;
                  /** @description `gone`: the receiver answered 410. `failing`: every attempt failed for three days. Null if the webhook is not disabled */
                  disabled_reason: ("gone" | "failing") | null;
                  disabled_at: string | null;
                  /** @enum {string} */
                  status: "active" | "paused" | "disabled";
                  /** @description The share of these attempts that succeeded; null if there were none */
                  success_rate: number | null;
                  /** @description Attempts in the last 24 hours, including the current hour */
                  attempts: {
                    delivered: number;
                    failed: number;
                  };
                  failing_since: string | null;
                  /** @description Pending deliveries */
                  backlog: number;
                  /** @description When the oldest pending delivery was created */
                  oldest_pending_at: string | null;
                };
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Delete a webhook
     * @description Deletes the webhook and its deliveries permanently. Up to 16 attempts in flight may still arrive. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          webhook_id: string;
        };
      };
      responses: {
        /** @description The webhook is deleted */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Webhook deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change a webhook
     * @description Changes the fields in the body for every attempt that is not in flight. Headers are merged: null removes one. If the URL changes, name every header: a caller must not send a value that they cannot read to a receiver of their own. Deliveries of a paused webhook wait. Setting `status` to `active` sends them, also after the webhook was disabled, and resets the count of failures. Pending deliveries of an event that is no longer subscribed become `failed` without an attempt. The account, organization or department of a webhook does not change. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          webhook_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** Format: uri */
            url?: string;
            events?: ("chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled")[];
            /** @enum {string} */
            status?: "active" | "paused";
            /** @description For people; null for none */
            name?: string | null;
            /** @description For people; null for none */
            description?: string | null;
            /** @description Receive only events of these chatbots; empty for all events, including those without a chatbot. A change applies to later events */
            chatbot_ids?: string[];
            headers?: {
              [key: string]: string | null;
            };
          };
        };
      };
      responses: {
        /** @description The webhook */
        200: {
          content: {
            "application/json": {
              webhook_id: string;
              /** @description The account; null for the webhook of an organization or department */
              owner_id: string | null;
              organization_id: string | null;
              department_id: string | null;
              /** @description The account that configured it */
              created_by: string | null;
              name: string | null;
              description: string | null;
              url: string;
              events: ("chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled")[];
              /** @description Empty for every event */
              chatbot_ids: string[];
              /** @description The custom headers; every value is masked */
              headers: {
                [key: string]: string;
              };
              /** @enum {string} */
              status: "active" | "paused" | "disabled";
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
              /** @description Until then, the previous secret also signs */
              previous_secret_until: string | null;
              health: {
                last_success_at: string | null;
                last_failure_at: string | null;
                /** @description Failed attempts since the last success, activation or change of the URL */
                consecutive_failures: number;
                /** @description `gone`: the receiver answered 410. `failing`: every attempt failed for three days. Null if the webhook is not disabled */
                disabled_reason: ("gone" | "failing") | null;
                disabled_at: string | null;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/rotate-secret": {
    /**
     * Rotate the secret
     * @description Replaces the secret with the one in the body, or with a generated secret that only this response shows. The previous secret also signs for 24 hours: `webhook-signature` carries both signatures, `X-Service-Signature` uses the new secret immediately. Sending the current secret again changes nothing. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    post: {
      parameters: {
        path: {
          webhook_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description 8 to 256 characters, none of them a control character (U+0000 to U+001F and U+007F to U+009F) or an unpaired surrogate. Used exactly as given */
            secret?: string;
          } | null;
        };
      };
      responses: {
        /** @description The secret is rotated */
        200: {
          content: {
            "application/json": {
              webhook_id: string;
              /** @description Present if the secret was generated */
              secret?: string;
              /** Format: date-time */
              previous_secret_until: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/test": {
    /**
     * Send a test event
     * @description Sends one signed event `webhook.test`, or the documented example of the event in the body, whether or not the webhook is active and subscribed to it, and returns the outcome within 10 seconds. The event is not retried or listed, and does not change the webhook. Its `webhook-id` begins with `test_`. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          webhook_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            event?: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
          } | null;
        };
      };
      responses: {
        /** @description The outcome of the attempt */
        200: {
          content: {
            "application/json": {
              /** Format: date-time */
              at: string;
              duration_ms: number;
              /** @description The receiver's status code; null when there was no response */
              status: number | null;
              /** @description Why there was no complete response */
              error: string | null;
              /** @description The first 4 KiB of the response body; 512 bytes of an older attempt */
              answer: string;
              /** @description The headers that were sent, without those of HTTP itself; values of custom headers are masked. Null for an older attempt */
              request_headers: {
                [key: string]: string;
              } | null;
              event_id: string;
              delivered: boolean;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/health": {
    /**
     * Read the health of a webhook
     * @description Returns the attempts of the last 24 hours, the failures in a row, and the backlog, counted up to 100,000. A webhook whose attempts all fail for three days is disabled; `failing_since` is when that outage began. Each attempt is counted just before its delivery changes; if the service is killed between the two, the attempt is made and counted again. Test events are not counted. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    get: {
      parameters: {
        path: {
          webhook_id: string;
        };
      };
      responses: {
        /** @description The health of the webhook */
        200: {
          content: {
            "application/json": {
              last_success_at: string | null;
              last_failure_at: string | null;
              /** @description Failed attempts since the last success, activation or change of the URL */
              consecutive_failures: number;
              /** @description `gone`: the receiver answered 410. `failing`: every attempt failed for three days. Null if the webhook is not disabled */
              disabled_reason: ("gone" | "failing") | null;
              disabled_at: string | null;
              /** @enum {string} */
              status: "active" | "paused" | "disabled";
              /** @description The share of these attempts that succeeded; null if there were none */
              success_rate: number | null;
              /** @description Attempts in the last 24 hours, including the current hour */
              attempts: {
                delivered: number;
                failed: number;
              };
              failing_since: string | null;
              /** @description Pending deliveries */
              backlog: number;
              /** @description When the oldest pending delivery was created */
              oldest_pending_at: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/deliveries": {
    /**
     * List deliveries
     * @description Lists deliveries in the order of their creation, with their latest attempts and the beginning of each response. Deliveries are counted only up to 1,000, or to the first one after the page: a larger `total_items` is a lower bound, `has_next` is always exact. Deliveries are kept for the retention time, by default 30 days. `search` matches any part of the event id; unlike the filters, it reads every delivery. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    get: {
      parameters: {
        query?: {
          page?: number;
          limit?: number;
          sort_by?: "created_at";
          order?: "asc" | "desc";
          search?: string;
          event?: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
          status?: "pending" | "delivered" | "failed" | "cancelled";
          /** @description The status of the latest response; `none` if there was no response */
          http_status?: number | "none";
          /** @description Created at this time or later */
          from?: string;
          /** @description Created before this time */
          to?: string;
        };
        path: {
          webhook_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                delivery_id: string;
                /** @description Sent to the receiver as `webhook-id` */
                event_id: string;
                /** @enum {string} */
                event: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
                /**
                 * @description `failed`: all retries of three days failed, or the event is no longer subscribed. `cancelled`: canceled by a call. Both can be replayed while the webhook is subscribed to the event
                 * @enum {string}
                 */
                status: "pending" | "delivered" | "failed" | "cancelled";
                /** Format: date-time */
                created_at: string;
                next_attempt_at: string | null;
                /** @description When it was delivered, failed for good or was canceled */
                settled_at: string | null;
                attempt_count: number;
                /** @description The status of the latest response; null when there was none */
                http_status: number | null;
                /** @description The latest 20, oldest first */
                attempts: {
                  /** Format: date-time */
                  at: string;
                  duration_ms: number;
                  /** @description The receiver's status code; null when there was no response */
                  status: number | null;
                  /** @description Why there was no complete response */
                  error: string | null;
                  /** @description The first 512 bytes of the response body */
                  answer: string;
                }[];
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}": {
    /**
     * Read a delivery
     * @description Returns the delivery with its payload and its latest attempts. The last three include the request headers and up to 4 KiB of the response body. Deliveries are kept for the retention time, by default 30 days. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    get: {
      parameters: {
        path: {
          webhook_id: string;
          delivery_id: string;
        };
      };
      responses: {
        /** @description The delivery and its payload */
        200: {
          content: {
            "application/json": {
              delivery_id: string;
              /** @description Sent to the receiver as `webhook-id` */
              event_id: string;
              /** @enum {string} */
              event: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
              /**
               * @description `failed`: all retries of three days failed, or the event is no longer subscribed. `cancelled`: canceled by a call. Both can be replayed while the webhook is subscribed to the event
               * @enum {string}
               */
              status: "pending" | "delivered" | "failed" | "cancelled";
              /** Format: date-time */
              created_at: string;
              next_attempt_at: string | null;
              /** @description When it was delivered, failed for good or was canceled */
              settled_at: string | null;
              attempt_count: number;
              /** @description The status of the latest response; null when there was none */
              http_status: number | null;
              /** @description The latest 20, oldest first */
              attempts: {
                /** Format: date-time */
                at: string;
                duration_ms: number;
                /** @description The receiver's status code; null when there was no response */
                status: number | null;
                /** @description Why there was no complete response */
                error: string | null;
                /** @description The first 4 KiB of the response body; 512 bytes of an older attempt */
                answer: string;
                /** @description The headers that were sent, without those of HTTP itself; values of custom headers are masked. Null for an older attempt */
                request_headers: {
                  [key: string]: string;
                } | null;
              }[];
              /** @description The exact JSON text of the request body, the same on every attempt */
              payload: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay": {
    /**
     * Replay a delivery
     * @description Sends the same bytes again under the same `webhook-id`, whatever the status of the delivery, with a new retry window of three days. A pending delivery is sent immediately. The delivery waits while the webhook is not active. If the webhook is no longer subscribed to the event, the call returns 403. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          webhook_id: string;
          delivery_id: string;
        };
      };
      responses: {
        /** @description The delivery */
        200: {
          content: {
            "application/json": {
              delivery_id: string;
              /** @description Sent to the receiver as `webhook-id` */
              event_id: string;
              /** @enum {string} */
              event: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
              /**
               * @description `failed`: all retries of three days failed, or the event is no longer subscribed. `cancelled`: canceled by a call. Both can be replayed while the webhook is subscribed to the event
               * @enum {string}
               */
              status: "pending" | "delivered" | "failed" | "cancelled";
              /** Format: date-time */
              created_at: string;
              next_attempt_at: string | null;
              /** @description When it was delivered, failed for good or was canceled */
              settled_at: string | null;
              attempt_count: number;
              /** @description The status of the latest response; null when there was none */
              http_status: number | null;
              /** @description The latest 20, oldest first */
              attempts: {
                /** Format: date-time */
                at: string;
                duration_ms: number;
                /** @description The receiver's status code; null when there was no response */
                status: number | null;
                /** @description Why there was no complete response */
                error: string | null;
                /** @description The first 512 bytes of the response body */
                answer: string;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/replay": {
    /**
     * Replay deliveries
     * @description Replays the failed deliveries created from `since` until `until`; with `all`, delivered ones too; with `status`, only those of that status. `event` and `http_status` filter as in the list. One call replays up to 20000, oldest first; if more remain, continue with `next_since`. Deliveries that are already pending, and those of events that are no longer subscribed, are not affected. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          webhook_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /**
             * Format: date-time
             * @description Created at this time or later
             */
            since: string;
            /**
             * Format: date-time
             * @description Created before this time
             */
            until?: string;
            /** @default false */
            all?: boolean;
            /** @enum {string} */
            status?: "failed" | "delivered" | "cancelled";
            /** @enum {string} */
            event?: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
            /** @description The status of the latest response; `none` if there was no response */
            http_status?: number | "none";
          };
        };
      };
      responses: {
        /** @description The deliveries are pending again */
        200: {
          content: {
            "application/json": {
              replayed: number;
              /** Format: date-time */
              next_since: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/cancel": {
    /**
     * Cancel a delivery
     * @description Takes a pending delivery out of the queue. An attempt that is in flight is not interrupted: the delivery becomes `delivered` if the receiver accepts it, and is not tried again if not. A canceled delivery can be replayed. A delivery that is already delivered or failed returns 403; one that is already canceled is returned unchanged. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          webhook_id: string;
          delivery_id: string;
        };
      };
      responses: {
        /** @description The delivery */
        200: {
          content: {
            "application/json": {
              delivery_id: string;
              /** @description Sent to the receiver as `webhook-id` */
              event_id: string;
              /** @enum {string} */
              event: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
              /**
               * @description `failed`: all retries of three days failed, or the event is no longer subscribed. `cancelled`: canceled by a call. Both can be replayed while the webhook is subscribed to the event
               * @enum {string}
               */
              status: "pending" | "delivered" | "failed" | "cancelled";
              /** Format: date-time */
              created_at: string;
              next_attempt_at: string | null;
              /** @description When it was delivered, failed for good or was canceled */
              settled_at: string | null;
              attempt_count: number;
              /** @description The status of the latest response; null when there was none */
              http_status: number | null;
              /** @description The latest 20, oldest first */
              attempts: {
                /** Format: date-time */
                at: string;
                duration_ms: number;
                /** @description The receiver's status code; null when there was no response */
                status: number | null;
                /** @description Why there was no complete response */
                error: string | null;
                /** @description The first 512 bytes of the response body */
                answer: string;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/webhooks/{webhook_id}/cancel": {
    /**
     * Cancel deliveries
     * @description Cancels the deliveries that are pending when the call begins and match every field of the body. One call cancels up to 20000, oldest first; if more remain, continue with `next_since`. An attempt that is in flight is not interrupted: its delivery becomes `delivered` if the receiver accepts it, and is not tried again if not. Canceled deliveries can be replayed. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          webhook_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /**
             * Format: date-time
             * @description Created at this time or later
             */
            since?: string;
            /**
             * Format: date-time
             * @description Created before this time
             */
            until?: string;
            /** @enum {string} */
            event?: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
            /** @description The status of the latest response; `none` if there was no response */
            http_status?: number | "none";
          } | null;
        };
      };
      responses: {
        /** @description The deliveries are canceled */
        200: {
          content: {
            "application/json": {
              cancelled: number;
              /** Format: date-time */
              next_since: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/events": {
    /**
     * Pull events
     * @description Lists events in the order in which they were accepted, with or without a subscribed webhook: those of the caller; with `department_id`, those of a department; with `organization_id`, those of an organization and all of its departments. Continue with `next_after`; no event is skipped. Events are kept for the retention time, by default 30 days. Concerns what belongs to the caller, to an organization that they own, or to a department in which they are Owner or Admin.
     */
    get: {
      parameters: {
        query?: {
          organization_id?: string;
          department_id?: string;
          /** @description `next_after` of the previous page; without it, the list begins with the oldest event */
          after?: string;
          limit?: number;
        };
      };
      responses: {
        /** @description The events after the cursor, in order */
        200: {
          content: {
            "application/json": {
              data: {
                /** @description Sent to receivers as `webhook-id` */
                id: string;
                /** @enum {string} */
                event: "chatbot.created" | "conversation.started" | "conversation.ended" | "payment.succeeded" | "payment.failed" | "subscription.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.factor_enabled" | "user.factor_disabled" | "user.passkey_added" | "user.passkey_removed" | "user.deleted" | "session.created" | "password.reset" | "password.changed" | "organization.member.added" | "organization.member.removed" | "organization.member.role_changed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.withdrawn" | "webhook.disabled";
                /** Format: date-time */
                timestamp: string;
                /** @description As the schema of the event describes it */
                data: {
                  [key: string]: unknown;
                };
                /** @description The department that it concerns */
                department_id: string | null;
              }[];
              /** @description The cursor of the next page, also for later calls; null before the first event */
              next_after: string | null;
              /** @description Whether there are more events now */
              has_more: boolean;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/connections": {
    /**
     * List connections
     * @description Lists the connections of an organization. `search` matches the names. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query: {
          protocol?: "saml" | "oidc" | "ldap";
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "updated_at" | "name" | "slug" | "protocol" | "connection_id";
          order?: "asc" | "desc";
          search?: string;
          organization_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                connection_id: string;
                organization_id: string;
                /** @enum {string} */
                protocol: "saml" | "oidc" | "ldap";
                slug: string;
                name: string;
                enabled: boolean;
                attributes: {
                  email: string;
                  firstName: string;
                  lastName: string;
                  role: string;
                  department: string;
                };
                group_roles: {
                  group: string;
                  /** @enum {string} */
                  role: "Admin" | "Editor" | "Viewer" | "Analyst";
                }[];
                /** @enum {string} */
                default_role: "Admin" | "Editor" | "Viewer" | "Analyst";
                default_department_id: string | null;
                saml?: {
                  idp_entity_id: string;
                  sso_url: string;
                  slo_url: string | null;
                  certificates: string[];
                  metadata_url: string | null;
                  sign_requests: boolean;
                  idp_initiated: boolean;
                  sp_certificate: string;
                  next_sp_certificate: string | null;
                  previous_sp_certificate: string | null;
                };
                oidc?: {
                  issuer: string;
                  client_id: string;
                  ca: string | null;
                  has_client_secret: boolean;
                };
                ldap?: {
                  url: string;
                  fallback_urls: string[];
                  start_tls: boolean;
                  ca: string | null;
                  bind_dn: string | null;
                  has_bind_password: boolean;
                  base_dn: string | null;
                  user_filter: string | null;
                  user_dn: string | null;
                };
                has_scim_token: boolean;
                /** @description What an administrator registers at the provider */
                addresses: {
                  login_url: string;
                  scim_base_url: string;
                  acs_url?: string;
                  entity_id?: string;
                  metadata_url?: string;
                  single_logout_url?: string;
                  redirect_uri?: string;
                  backchannel_logout_uri?: string;
                };
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Connect an identity provider
     * @description Connects an identity provider of an organization on the Enterprise plan, which may have up to 10. SAML takes `metadata_url`, `metadata_xml`, or the details; OpenID Connect reads the discovery document of the issuer; LDAP finds people with `user_filter` below `base_dn`, or with `user_dn`. Addresses that the service calls must be public or in a network that the operator allows. The answer names the addresses to register at the provider. Secrets are encrypted and never returned. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @enum {string} */
            protocol: "saml";
            name: string;
            /** @description Whether people may log in; true by default. False ends the sessions that began here */
            enabled?: boolean;
            /**
             * @description Chooses the attribute names of a provider
             * @enum {string}
             */
            preset?: "okta" | "entra" | "google" | "keycloak";
            /** @description The names under which the provider sends each attribute */
            attributes?: {
              email?: string;
              firstName?: string;
              lastName?: string;
              role?: string;
              department?: string;
            };
            /** @description The roles of groups at the provider, by the values that it sends as `attributes.role`. The first row that matches counts */
            group_roles?: {
              group: string;
              /** @enum {string} */
              role: "Admin" | "Editor" | "Viewer" | "Analyst";
            }[];
            /**
             * @description Of people whose provider names no role; Viewer by default
             * @enum {string}
             */
            default_role?: "Admin" | "Editor" | "Viewer" | "Analyst";
            /** @description Of people whose provider names no department */
            default_department_id?: string | null;
            organization_id: string;
            /** @description Names the connection in addresses; unique, and never changed */
            slug: string;
            saml: {
              /**
               * Format: uri
               * @description Read now, and every day for new certificates
               */
              metadata_url?: string;
              /** @description The metadata of the provider, an EntityDescriptor */
              metadata_xml?: string;
              idp_entity_id?: string;
              /** Format: uri */
              sso_url?: string;
              slo_url?: string | null;
              /** @description Signing certificates in PEM, several while they are being replaced */
              certificates?: string[];
              /** @description Whether our requests are signed; true by default if the metadata ask for it (WantAuthnRequestsSigned) or with the preset `keycloak` */
              sign_requests?: boolean;
              /** @description Whether a login may begin at the provider */
              idp_initiated?: boolean;
            };
          } | {
            /** @enum {string} */
            protocol: "oidc";
            name: string;
            /** @description Whether people may log in; true by default. False ends the sessions that began here */
            enabled?: boolean;
            /**
             * @description Chooses the attribute names of a provider
             * @enum {string}
             */
            preset?: "okta" | "entra" | "google" | "keycloak";
            /** @description The names under which the provider sends each attribute */
            attributes?: {
              email?: string;
              firstName?: string;
              lastName?: string;
              role?: string;
              department?: string;
            };
            /** @description The roles of groups at the provider, by the values that it sends as `attributes.role`. The first row that matches counts */
            group_roles?: {
              group: string;
              /** @enum {string} */
              role: "Admin" | "Editor" | "Viewer" | "Analyst";
            }[];
            /**
             * @description Of people whose provider names no role; Viewer by default
             * @enum {string}
             */
            default_role?: "Admin" | "Editor" | "Viewer" | "Analyst";
            /** @description Of people whose provider names no department */
            default_department_id?: string | null;
            organization_id: string;
            /** @description Names the connection in addresses; unique, and never changed */
            slug: string;
            oidc: {
              /**
               * Format: uri
               * @description As in its ID tokens; its discovery document is read now
               */
              issuer?: string;
              client_id?: string;
              /** @description Null for a public client; never returned */
              client_secret?: string | null;
              /** @description Certificates in PEM that vouch for the provider, instead of those of the system */
              ca?: string | null;
            };
          } | {
            /** @enum {string} */
            protocol: "ldap";
            name: string;
            /** @description Whether people may log in; true by default. False ends the sessions that began here */
            enabled?: boolean;
            /**
             * @description Chooses the attribute names of a provider
             * @enum {string}
             */
            preset?: "okta" | "entra" | "google" | "keycloak";
            /** @description The names under which the provider sends each attribute */
            attributes?: {
              email?: string;
              firstName?: string;
              lastName?: string;
              role?: string;
              department?: string;
            };
            /** @description The roles of groups at the provider, by the values that it sends as `attributes.role`. The first row that matches counts */
            group_roles?: {
              group: string;
              /** @enum {string} */
              role: "Admin" | "Editor" | "Viewer" | "Analyst";
            }[];
            /**
             * @description Of people whose provider names no role; Viewer by default
             * @enum {string}
             */
            default_role?: "Admin" | "Editor" | "Viewer" | "Analyst";
            /** @description Of people whose provider names no department */
            default_department_id?: string | null;
            organization_id: string;
            /** @description Names the connection in addresses; unique, and never changed */
            slug: string;
            ldap: {
              url?: string;
              /** @description Directories with the same entries, tried in this order when `url` fails */
              fallback_urls?: string[];
              /** @description Whether ldap:// is upgraded to TLS */
              start_tls?: boolean;
              /** @description Certificates in PEM that vouch for the server, instead of those of the system */
              ca?: string | null;
              /** @description The account that searches; null to search anonymously */
              bind_dn?: string | null;
              /** @description Never returned */
              bind_password?: string | null;
              base_dn?: string | null;
              user_filter?: string | null;
              user_dn?: string | null;
            };
          };
        };
      };
      responses: {
        /** @description The identity provider is connected */
        201: {
          content: {
            "application/json": {
              connection_id: string;
              organization_id: string;
              /** @enum {string} */
              protocol: "saml" | "oidc" | "ldap";
              slug: string;
              name: string;
              enabled: boolean;
              attributes: {
                email: string;
                firstName: string;
                lastName: string;
                role: string;
                department: string;
              };
              group_roles: {
                group: string;
                /** @enum {string} */
                role: "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              /** @enum {string} */
              default_role: "Admin" | "Editor" | "Viewer" | "Analyst";
              default_department_id: string | null;
              saml?: {
                idp_entity_id: string;
                sso_url: string;
                slo_url: string | null;
                certificates: string[];
                metadata_url: string | null;
                sign_requests: boolean;
                idp_initiated: boolean;
                sp_certificate: string;
                next_sp_certificate: string | null;
                previous_sp_certificate: string | null;
              };
              oidc?: {
                issuer: string;
                client_id: string;
                ca: string | null;
                has_client_secret: boolean;
              };
              ldap?: {
                url: string;
                fallback_urls: string[];
                start_tls: boolean;
                ca: string | null;
                bind_dn: string | null;
                has_bind_password: boolean;
                base_dn: string | null;
                user_filter: string | null;
                user_dn: string | null;
              };
              has_scim_token: boolean;
              /** @description What an administrator registers at the provider */
              addresses: {
                login_url: string;
                scim_base_url: string;
                acs_url?: string;
                entity_id?: string;
                metadata_url?: string;
                single_logout_url?: string;
                redirect_uri?: string;
                backchannel_logout_uri?: string;
              };
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/connections/{connection_id}": {
    /**
     * Read a connection
     * @description Returns everything but the secrets. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        path: {
          connection_id: string;
        };
      };
      responses: {
        /** @description The connection */
        200: {
          content: {
            "application/json": {
              connection_id: string;
              organization_id: string;
              /** @enum {string} */
              protocol: "saml" | "oidc" | "ldap";
              slug: string;
              name: string;
              enabled: boolean;
              attributes: {
                email: string;
                firstName: string;
                lastName: string;
                role: string;
                department: string;
              };
              group_roles: {
                group: string;
                /** @enum {string} */
                role: "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              /** @enum {string} */
              default_role: "Admin" | "Editor" | "Viewer" | "Analyst";
              default_department_id: string | null;
              saml?: {
                idp_entity_id: string;
                sso_url: string;
                slo_url: string | null;
                certificates: string[];
                metadata_url: string | null;
                sign_requests: boolean;
                idp_initiated: boolean;
                sp_certificate: string;
                next_sp_certificate: string | null;
                previous_sp_certificate: string | null;
              };
              oidc?: {
                issuer: string;
                client_id: string;
                ca: string | null;
                has_client_secret: boolean;
              };
              ldap?: {
                url: string;
                fallback_urls: string[];
                start_tls: boolean;
                ca: string | null;
                bind_dn: string | null;
                has_bind_password: boolean;
                base_dn: string | null;
                user_filter: string | null;
                user_dn: string | null;
              };
              has_scim_token: boolean;
              /** @description What an administrator registers at the provider */
              addresses: {
                login_url: string;
                scim_base_url: string;
                acs_url?: string;
                entity_id?: string;
                metadata_url?: string;
                single_logout_url?: string;
                redirect_uri?: string;
                backchannel_logout_uri?: string;
              };
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Delete a connection
     * @description Deletes the connection permanently, its SCIM token and what links accounts to it, and ends the sessions that began at it. The accounts stay. Also possible without the plan. The last enabled connection of a domain that requires single sign-on is 409, unless `release=true` ends the requirement. Needs to be an Owner of the organization.
     */
    delete: {
      parameters: {
        query?: {
          /** @description Whether domains that would keep no connection stop requiring single sign-on */
          release?: "true" | "false";
        };
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          connection_id: string;
        };
      };
      responses: {
        /** @description The connection is deleted */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Connection deleted";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change a connection
     * @description Changes the fields in the body and no others; `preset` replaces all attribute names that the body does not give. `organization_id`, `protocol` and `slug` stay, because addresses registered at the provider contain them. `enabled: false` ends the sessions that began at the connection; at the last enabled connection of a domain that requires single sign-on it is 409, unless `release: true` ends the requirement. A secret must be given again together with another address of the provider. Several certificates may be given while they are being replaced. Needs to be an Owner of the organization.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          connection_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            name?: string;
            /** @description Whether people may log in; true by default. False ends the sessions that began here */
            enabled?: boolean;
            /**
             * @description Chooses the attribute names of a provider
             * @enum {string}
             */
            preset?: "okta" | "entra" | "google" | "keycloak";
            /** @description The names under which the provider sends each attribute */
            attributes?: {
              email?: string;
              firstName?: string;
              lastName?: string;
              role?: string;
              department?: string;
            };
            /** @description The roles of groups at the provider, by the values that it sends as `attributes.role`. The first row that matches counts */
            group_roles?: {
              group: string;
              /** @enum {string} */
              role: "Admin" | "Editor" | "Viewer" | "Analyst";
            }[];
            /**
             * @description Of people whose provider names no role; Viewer by default
             * @enum {string}
             */
            default_role?: "Admin" | "Editor" | "Viewer" | "Analyst";
            /** @description Of people whose provider names no department */
            default_department_id?: string | null;
            /** @description With `enabled: false`: ends the requirement of domains that keep no enabled connection */
            release?: boolean;
            organization_id?: unknown;
            protocol?: unknown;
            slug?: unknown;
            saml?: {
              /**
               * Format: uri
               * @description Read now, and every day for new certificates
               */
              metadata_url?: string;
              /** @description The metadata of the provider, an EntityDescriptor */
              metadata_xml?: string;
              idp_entity_id?: string;
              /** Format: uri */
              sso_url?: string;
              slo_url?: string | null;
              /** @description Signing certificates in PEM, several while they are being replaced */
              certificates?: string[];
              /** @description Whether our requests are signed; true by default if the metadata ask for it (WantAuthnRequestsSigned) or with the preset `keycloak` */
              sign_requests?: boolean;
              /** @description Whether a login may begin at the provider */
              idp_initiated?: boolean;
            };
            oidc?: {
              /**
               * Format: uri
               * @description As in its ID tokens; its discovery document is read now
               */
              issuer?: string;
              client_id?: string;
              /** @description Null for a public client; never returned */
              client_secret?: string | null;
              /** @description Certificates in PEM that vouch for the provider, instead of those of the system */
              ca?: string | null;
            };
            ldap?: {
              url?: string;
              /** @description Directories with the same entries, tried in this order when `url` fails */
              fallback_urls?: string[];
              /** @description Whether ldap:// is upgraded to TLS */
              start_tls?: boolean;
              /** @description Certificates in PEM that vouch for the server, instead of those of the system */
              ca?: string | null;
              /** @description The account that searches; null to search anonymously */
              bind_dn?: string | null;
              /** @description Never returned */
              bind_password?: string | null;
              base_dn?: string | null;
              user_filter?: string | null;
              user_dn?: string | null;
            };
          };
        };
      };
      responses: {
        /** @description The connection */
        200: {
          content: {
            "application/json": {
              connection_id: string;
              organization_id: string;
              /** @enum {string} */
              protocol: "saml" | "oidc" | "ldap";
              slug: string;
              name: string;
              enabled: boolean;
              attributes: {
                email: string;
                firstName: string;
                lastName: string;
                role: string;
                department: string;
              };
              group_roles: {
                group: string;
                /** @enum {string} */
                role: "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              /** @enum {string} */
              default_role: "Admin" | "Editor" | "Viewer" | "Analyst";
              default_department_id: string | null;
              saml?: {
                idp_entity_id: string;
                sso_url: string;
                slo_url: string | null;
                certificates: string[];
                metadata_url: string | null;
                sign_requests: boolean;
                idp_initiated: boolean;
                sp_certificate: string;
                next_sp_certificate: string | null;
                previous_sp_certificate: string | null;
              };
              oidc?: {
                issuer: string;
                client_id: string;
                ca: string | null;
                has_client_secret: boolean;
              };
              ldap?: {
                url: string;
                fallback_urls: string[];
                start_tls: boolean;
                ca: string | null;
                bind_dn: string | null;
                has_bind_password: boolean;
                base_dn: string | null;
                user_filter: string | null;
                user_dn: string | null;
              };
              has_scim_token: boolean;
              /** @description What an administrator registers at the provider */
              addresses: {
                login_url: string;
                scim_base_url: string;
                acs_url?: string;
                entity_id?: string;
                metadata_url?: string;
                single_logout_url?: string;
                redirect_uri?: string;
                backchannel_logout_uri?: string;
              };
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/connections/{connection_id}/test": {
    /**
     * Test a connection
     * @description Calls the provider, without logging anybody in, and says in words what is wrong: an address that cannot be reached, a certificate that is wrong or expires within 30 days, a clock that differs, an attribute that is missing at the latest login or in the sample. An LDAP connection looks for `username`. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          connection_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description A sample of what the provider sends about a person */
            attributes?: {
              [key: string]: unknown;
            };
            username?: string;
          } | null;
        };
      };
      responses: {
        /** @description What was found */
        200: {
          content: {
            "application/json": {
              findings: {
                /** @enum {string} */
                level: "ok" | "warning" | "error";
                check: string;
                message: string;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/connections/{connection_id}/rotate-key": {
    /**
     * Rotate our SAML key of a connection
     * @description Makes a new key sign our messages at once, or the one that an earlier call prepared. Our metadata hold the certificates of both keys for 30 days, and assertions that are encrypted for the former key are decrypted until the next rotation. A provider that verifies our signatures must know the new certificate first: `prepare: true` makes a key and publishes its certificate, without using it to sign; call again without it once the provider has read our metadata. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          connection_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description Whether the new key is only published, not used yet */
            prepare?: boolean;
          };
        };
      };
      responses: {
        /** @description The connection */
        200: {
          content: {
            "application/json": {
              connection_id: string;
              organization_id: string;
              /** @enum {string} */
              protocol: "saml" | "oidc" | "ldap";
              slug: string;
              name: string;
              enabled: boolean;
              attributes: {
                email: string;
                firstName: string;
                lastName: string;
                role: string;
                department: string;
              };
              group_roles: {
                group: string;
                /** @enum {string} */
                role: "Admin" | "Editor" | "Viewer" | "Analyst";
              }[];
              /** @enum {string} */
              default_role: "Admin" | "Editor" | "Viewer" | "Analyst";
              default_department_id: string | null;
              saml?: {
                idp_entity_id: string;
                sso_url: string;
                slo_url: string | null;
                certificates: string[];
                metadata_url: string | null;
                sign_requests: boolean;
                idp_initiated: boolean;
                sp_certificate: string;
                next_sp_certificate: string | null;
                previous_sp_certificate: string | null;
              };
              oidc?: {
                issuer: string;
                client_id: string;
                ca: string | null;
                has_client_secret: boolean;
              };
              ldap?: {
                url: string;
                fallback_urls: string[];
                start_tls: boolean;
                ca: string | null;
                bind_dn: string | null;
                has_bind_password: boolean;
                base_dn: string | null;
                user_filter: string | null;
                user_dn: string | null;
              };
              has_scim_token: boolean;
              /** @description What an administrator registers at the provider */
              addresses: {
                login_url: string;
                scim_base_url: string;
                acs_url?: string;
                entity_id?: string;
                metadata_url?: string;
                single_logout_url?: string;
                redirect_uri?: string;
                backchannel_logout_uri?: string;
              };
              /** Format: date-time */
              created_at: string;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/connections/{connection_id}/scim-token": {
    /**
     * Issue a SCIM token
     * @description Returns a new bearer for provisioning with SCIM 2.0, which only this response shows. The previous token stops working at once. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        path: {
          connection_id: string;
        };
      };
      responses: {
        /** @description The token is issued */
        201: {
          content: {
            "application/json": {
              token: string;
              scim_base_url: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Revoke the SCIM token
     * @description The token stops working at once. Also possible without the plan. Needs to be an Owner of the organization.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          connection_id: string;
        };
      };
      responses: {
        /** @description The token is revoked, if there was one */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "SCIM token revoked";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/connections/{connection_id}/identities": {
    /**
     * List the identities of a connection
     * @description Lists the accounts that are linked to people at the connection. `search` matches the addresses. Also possible without the plan. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query?: {
          user_id?: string;
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "email" | "user_id";
          order?: "asc" | "desc";
          search?: string;
        };
        path: {
          connection_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                /** @description The linked account */
                user_id: string;
                /** @description The identifier of the person at the provider: NameID, sub, or the id of the directory */
                subject: string;
                /** @description The address that the provider sent when the account was linked or last followed it */
                email: string;
                managed_by_scim: boolean;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour */
                last_login_at: string | null;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/connections/{connection_id}/identities/{user_id}": {
    /**
     * Unlink an identity
     * @description Unlinks an account from the person at the connection, and ends its sessions that began there. The account, its memberships and what SCIM manages stay. The next login through the connection links the account again, with the identifier that the provider then sends. Also possible without the plan. Needs to be an Owner of the organization.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          connection_id: string;
          /** @description The linked account */
          user_id: string;
        };
      };
      responses: {
        /** @description The identity is unlinked */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Identity unlinked";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/sso/discover": {
    /**
     * Find where to log in
     * @description Returns where the people of an organization log in, by the domain of their e-mail addresses, which the organization must have verified, or by the slug of a connection. With several connections it is the one that the domain is bound to, or else the oldest that is enabled. Everything else is 404, also an organization whose plan lacks single sign-on.
     */
    get: {
      parameters: {
        query?: {
          domain?: string;
          slug?: string;
        };
      };
      responses: {
        /** @description A connection. For `saml` and `oidc`, `login_url` is where the browser goes; for `ldap`, the operation that takes `connection` (the slug), `username` and `password`. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              protocol: "saml" | "oidc" | "ldap";
              name: string;
              slug: string;
              login_url: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/domains": {
    /**
     * List domains
     * @description Lists the domains of an organization. `search` matches any part of a domain. Needs to be an Owner of the organization.
     */
    get: {
      parameters: {
        query: {
          page?: number;
          limit?: number;
          sort_by?: "created_at" | "domain" | "domain_id";
          order?: "asc" | "desc";
          search?: string;
          organization_id: string;
        };
      };
      responses: {
        /** @description One page */
        200: {
          content: {
            "application/json": {
              data: {
                domain_id: string;
                organization_id: string;
                domain: string;
                verified: boolean;
                verified_at: string | null;
                /** @description Whether addresses of the domain log in by single sign-on only. It holds while a connection is enabled and the plan includes single sign-on. */
                sso_required: boolean;
                /** @description The connection where its people log in; null for the oldest that is enabled */
                connection_id: string | null;
                /** @description The DNS record that proves control of the domain */
                record: {
                  /** @enum {string} */
                  type: "TXT";
                  name: string;
                  value: string;
                };
                /** Format: date-time */
                created_at: string;
              }[];
              pagination: {
                page: number;
                limit: number;
                total_items: number;
                total_pages: number;
                has_next: boolean;
                has_prev: boolean;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Add a domain
     * @description Adds a domain of e-mail addresses to an organization and returns the DNS record that proves control of it. The domain has no effect until it is verified. Subdomains are domains of their own. An organization may have up to 100 domains. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            organization_id: string;
            domain: string;
            /** @description A connection of the organization, where people of the domain log in; null for the oldest */
            connection_id?: string | null;
          };
        };
      };
      responses: {
        /** @description The domain */
        201: {
          content: {
            "application/json": {
              domain_id: string;
              organization_id: string;
              domain: string;
              verified: boolean;
              verified_at: string | null;
              /** @description Whether addresses of the domain log in by single sign-on only. It holds while a connection is enabled and the plan includes single sign-on. */
              sso_required: boolean;
              /** @description The connection where its people log in; null for the oldest that is enabled */
              connection_id: string | null;
              /** @description The DNS record that proves control of the domain */
              record: {
                /** @enum {string} */
                type: "TXT";
                name: string;
                value: string;
              };
              /** Format: date-time */
              created_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/domains/{domain_id}/verify": {
    /**
     * Verify a domain
     * @description Looks for the DNS record that proves control of the domain. One organization can have a verified domain: it loses the domain when another one proves control and its own record is gone. Outside production, domains under .test, .example and .localhost need no record. Needs to be an Owner of the organization.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          domain_id: string;
        };
      };
      responses: {
        /** @description The domain */
        200: {
          content: {
            "application/json": {
              domain_id: string;
              organization_id: string;
              domain: string;
              verified: boolean;
              verified_at: string | null;
              /** @description Whether addresses of the domain log in by single sign-on only. It holds while a connection is enabled and the plan includes single sign-on. */
              sso_required: boolean;
              /** @description The connection where its people log in; null for the oldest that is enabled */
              connection_id: string | null;
              /** @description The DNS record that proves control of the domain */
              record: {
                /** @enum {string} */
                type: "TXT";
                name: string;
                value: string;
              };
              /** Format: date-time */
              created_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/sso/domains/{domain_id}": {
    /**
     * Remove a domain
     * @description Accounts with addresses in the domain stay, but single sign-on no longer opens them; their owners can set a password with a reset. Another organization may verify the domain. Needs to be an Owner of the organization.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          domain_id: string;
        };
      };
      responses: {
        /** @description The domain is removed */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Domain removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Change a domain
     * @description `connection_id` is the connection where people of the domain log in, if the organization has several. With `sso_required`, a login with the password of an address in the domain is refused with 403, except for Owners of the organization. This needs a verified domain and an enabled connection, the one of the domain if it is bound to one, and holds while that is enabled and the plan includes single sign-on. Needs to be an Owner of the organization.
     */
    patch: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          domain_id: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            sso_required?: boolean;
            /** @description A connection of the organization, where people of the domain log in; null for the oldest */
            connection_id?: string | null;
          };
        };
      };
      responses: {
        /** @description The domain */
        200: {
          content: {
            "application/json": {
              domain_id: string;
              organization_id: string;
              domain: string;
              verified: boolean;
              verified_at: string | null;
              /** @description Whether addresses of the domain log in by single sign-on only. It holds while a connection is enabled and the plan includes single sign-on. */
              sso_required: boolean;
              /** @description The connection where its people log in; null for the oldest that is enabled */
              connection_id: string | null;
              /** @description The DNS record that proves control of the domain */
              record: {
                /** @enum {string} */
                type: "TXT";
                name: string;
                value: string;
              };
              /** Format: date-time */
              created_at: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/saml/metadata/{slug}": {
    /**
     * Get the SAML metadata of a connection
     * @description The metadata to give to the identity provider: our entity ID, which is this address, the addresses for responses and logout requests, and the certificate of the key that signs our requests and decrypts assertions. Available before the connection is enabled.
     */
    get: {
      parameters: {
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      responses: {
        /** @description An EntityDescriptor (application/samlmetadata+xml) */
        200: {
          content: {
            "application/json": string;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/sso/exchange": {
    /**
     * Exchange the code of a finished login
     * @description Returns a token that is valid for one hour. The code comes from the fragment of the account page’s address. It is valid for 60 seconds, once, and only with the cookie of the browser that began the login.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            code: string;
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/ldap": {
    /**
     * Log in at a directory
     * @description Checks a user name and a password at the directory of an LDAP connection and returns a token that is valid for one hour. The error does not reveal whether the user name is known.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description The slug of the connection */
            connection: string;
            username: string;
            password: string;
            /** @description The CAPTCHA token; required after failed logins, when the gateway answers CAPTCHA_REQUIRED */
            recaptcha_token?: string;
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/ldap/factor": {
    /**
     * Log in at a directory with the second factor
     * @description Completes a login at a directory that was answered with SECOND_FACTOR_REQUIRED. The code is from the authenticator app, or an unused recovery code. Five wrong codes in 15 minutes lead to 429 for the account.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/json": {
            /** @description From `details` of the refused login; valid for five minutes */
            factor_token: string;
            code: string;
          };
        };
      };
      responses: {
        /** @description A token for the header `Authorization: Bearer`. `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              access_token: string;
              /** @enum {string} */
              token_type: "Bearer";
              expires_in: number;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/saml/login/{slug}": {
    /**
     * Begin a login with SAML
     * @description Redirects the browser (303) to the identity provider of the connection with an authentication request, and sets a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.
     */
    get: {
      parameters: {
        query?: {
          /** @description With `login`, the person proves again who they are, even if they are signed in at the provider (step-up) */
          prompt?: "login";
        };
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      responses: {
        /** @description Where the person logs in */
        200: {
          content: {
            "application/json": {
              redirect_url: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/saml/acs": {
    /**
     * Receive the response of a SAML provider
     * @description Ends a login: verifies the response, creates or updates the account, and redirects the browser (303) to the account page with a one-time code in the fragment of the address. A client that accepts `application/json` and not `text/html` gets the code in JSON. A failure is a page, or JSON for such a client.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description The response in Base64 */
            SAMLResponse: string;
            /** @description As it was in our request; ignored in a login that began at the provider */
            RelayState?: string;
          };
        };
      };
      responses: {
        /** @description The one-time code for POST /api/v1/auth/sso/exchange */
        200: {
          content: {
            "application/json": {
              code: string;
              expires_in: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/saml/acs/{slug}": {
    /**
     * Receive the response of the SAML provider of a connection
     * @description Like /saml/acs, for one connection. Have the provider send logins that begin there to this address if it encrypts assertions.
     */
    post: {
      parameters: {
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description The response in Base64 */
            SAMLResponse: string;
            /** @description As it was in our request; ignored in a login that began at the provider */
            RelayState?: string;
          };
        };
      };
      responses: {
        /** @description The one-time code for POST /api/v1/auth/sso/exchange */
        200: {
          content: {
            "application/json": {
              code: string;
              expires_in: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/saml/slo/{slug}": {
    /**
     * Receive a logout of a SAML provider
     * @description Ends the sessions that a signed LogoutRequest names, at once and on every process, and redirects the browser (303) to the provider with a signed LogoutResponse. A client that accepts `application/json` and not `text/html` gets the address in JSON. This is the HTTP-Redirect binding.
     */
    get: {
      parameters: {
        query: {
          /** @description The LogoutRequest, compressed, in Base64 */
          SAMLRequest: string;
          /** @description Returned unchanged with the response */
          RelayState?: string;
          /** @description The algorithm of the signature */
          SigAlg?: string;
          /** @description The signature in Base64 */
          Signature?: string;
        };
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      responses: {
        /** @description The sessions have ended. Where to send the browser, if the provider has an address for it */
        200: {
          content: {
            "application/json": {
              redirect_url: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Receive a logout of a SAML provider
     * @description Ends the sessions that a signed LogoutRequest names, at once and on every process, and redirects the browser (303) to the provider with a signed LogoutResponse. A client that accepts `application/json` and not `text/html` gets the address in JSON. This is the HTTP-POST binding.
     */
    post: {
      parameters: {
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description The LogoutRequest in Base64 */
            SAMLRequest: string;
            /** @description Returned unchanged with the response */
            RelayState?: string;
          };
        };
      };
      responses: {
        /** @description The sessions have ended. Where to send the browser, if the provider has an address for it */
        200: {
          content: {
            "application/json": {
              redirect_url: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/oauth/login/{slug}": {
    /**
     * Begin a login with OpenID Connect
     * @description Redirects the browser (303) to the identity provider of the connection, with a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.
     */
    get: {
      parameters: {
        query?: {
          /** @description With `login`, the person proves again who they are, even if they are signed in at the provider (step-up) */
          prompt?: "login";
        };
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      responses: {
        /** @description Where the person logs in */
        200: {
          content: {
            "application/json": {
              redirect_url: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/oauth/callback": {
    /**
     * Receive the answer of an OpenID Connect provider
     * @description Where the provider sends the browser back. The code is exchanged for tokens, the ID token is validated, and the browser is redirected (303) to the account page with a one-time code in the fragment. After `error=invalid_scope` the login begins again (303) without `offline_access`. A client that accepts `application/json` and not `text/html` gets that code in JSON.
     */
    get: {
      parameters: {
        query?: {
          /** @description Names the login */
          state?: string;
          /** @description The authorization code */
          code?: string;
          /** @description The issuer of the answer (RFC 9207) */
          iss?: string;
          /** @description Why the provider refused */
          error?: string;
        };
      };
      responses: {
        /** @description A one-time code for /api/v1/auth/sso/exchange */
        200: {
          content: {
            "application/json": {
              code: string;
              expires_in: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/oauth/callback/{slug}": {
    /**
     * Receive the answer of an OpenID Connect provider at an address of its own
     * @description For providers that do not name themselves in their answers (RFC 9207). Where the provider sends the browser back. The code is exchanged for tokens, the ID token is validated, and the browser is redirected (303) to the account page with a one-time code in the fragment. After `error=invalid_scope` the login begins again (303) without `offline_access`. A client that accepts `application/json` and not `text/html` gets that code in JSON.
     */
    get: {
      parameters: {
        query?: {
          /** @description Names the login */
          state?: string;
          /** @description The authorization code */
          code?: string;
          /** @description The issuer of the answer (RFC 9207) */
          iss?: string;
          /** @description Why the provider refused */
          error?: string;
        };
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      responses: {
        /** @description A one-time code for /api/v1/auth/sso/exchange */
        200: {
          content: {
            "application/json": {
              code: string;
              expires_in: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/oauth/backchannel-logout": {
    /**
     * Receive a logout of an OpenID Connect provider
     * @description Ends the sessions that a logout token names, at once and on every process (OpenID Connect Back-Channel Logout 1.0). The token counts for every connection with its issuer and its client.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description A JWT that the provider has signed */
            logout_token: string;
          };
        };
      };
      responses: {
        /** @description The sessions have ended */
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/oauth/backchannel-logout/{slug}": {
    /**
     * Receive a logout of the OpenID Connect provider of a connection
     * @description Like /oauth/backchannel-logout, for one connection. Register this address where several connections have the same issuer and client.
     */
    post: {
      parameters: {
        path: {
          /** @description Names the connection */
          slug: string;
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description A JWT that the provider has signed */
            logout_token: string;
          };
        };
      };
      responses: {
        /** @description The sessions have ended */
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/social/{provider}/login": {
    /**
     * Begin a login at a provider
     * @description Redirects the browser (303) to the provider, with a cookie that ties the login to this browser. A client that accepts `application/json` and not `text/html` gets the address in JSON.
     */
    get: {
      parameters: {
        query?: {
          /** @description With `login`, the person proves again who they are, even if they are signed in at the provider (step-up) */
          prompt?: "login";
        };
        path: {
          /** @description Names the provider, as SOCIAL_PROVIDERS does */
          provider: string;
        };
      };
      responses: {
        /** @description Where the person logs in */
        200: {
          content: {
            "application/json": {
              redirect_url: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/social/{provider}/callback": {
    /**
     * Receive the answer of a provider
     * @description Where the provider sends the browser back. A login ends with a redirect (303) to the account page with a one-time code in the fragment; a link ends with a redirect to the profile. A client that accepts `application/json` and not `text/html` gets JSON.
     */
    get: {
      parameters: {
        query?: {
          /** @description Names the login */
          state?: string;
          /** @description The authorization code */
          code?: string;
          /** @description The issuer of the answer (RFC 9207) */
          iss?: string;
          /** @description Why the provider refused */
          error?: string;
        };
        path: {
          /** @description Names the provider, as SOCIAL_PROVIDERS does */
          provider: string;
        };
      };
      responses: {
        /** @description A one-time code for /api/v1/auth/sso/exchange, or the name of the provider that is linked now */
        200: {
          content: {
            "application/json": {
              code: string;
              expires_in: number;
            } | {
              linked: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Receive the answer of a provider that posts it
     * @description Redirects the browser (303) to the same address, which receives the answer as a query. A client that accepts `application/json` and not `text/html` gets the address in JSON.
     */
    post: {
      parameters: {
        path: {
          /** @description Names the provider, as SOCIAL_PROVIDERS does */
          provider: string;
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description Names the login */
            state?: string;
            /** @description The authorization code */
            code?: string;
            /** @description The issuer of the answer (RFC 9207) */
            iss?: string;
            /** @description Why the provider refused */
            error?: string;
            /** @description JSON with the name of the person, which Apple sends only at the first login */
            user?: string;
          };
        };
      };
      responses: {
        /** @description GET /social/{provider}/callback with the answer */
        200: {
          content: {
            "application/json": {
              redirect_url: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/links": {
    /**
     * List your links to providers
     * @description Returns the accounts at providers that open the account of the caller, oldest first. Concerns the caller alone.
     */
    get: {
      responses: {
        /** @description The links */
        200: {
          content: {
            "application/json": {
              links: {
                link_id: string;
                provider: string;
                /** @description The address that the provider sent */
                email: string | null;
                /** Format: date-time */
                created_at: string;
                /** @description To the hour */
                last_login_at: string | null;
              }[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
    /**
     * Begin to link an account at a provider
     * @description Returns the address at the provider to which the browser goes. The response sets a cookie: only this browser can complete the link, within ten minutes and while the session lasts. It ends at the profile. Twenty links begun in an hour lead to 429. Concerns the caller alone.
     */
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @description Names the provider, as SOCIAL_PROVIDERS does */
            provider: string;
          };
        };
      };
      responses: {
        /** @description Where the person logs in */
        200: {
          content: {
            "application/json": {
              redirect_url: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/users/me/links/{link_id}": {
    /**
     * Remove a link to a provider
     * @description The account at the provider no longer opens that of the caller, and every other session of the caller ends: one of them may have begun there. The last way into an account cannot be removed: 409 unless there is a password, a passkey, another link whose provider is offered, or single sign-on of an organization. Concerns the caller alone.
     */
    delete: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
        path: {
          /** @description From the list of links */
          link_id: string;
        };
      };
      responses: {
        /** @description The account at the provider no longer opens this one. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Link removed";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/login": {
    /**
     * Log in
     * @description Checks an e-mail and a password and returns a token for the header `Authorization: Bearer`.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            email: string;
            password: string;
            /** @description The CAPTCHA token; required unless CAPTCHA_PROVIDER is none */
            recaptcha_token?: string;
          };
        };
      };
      responses: {
        /** @description Success. The token is valid for 30 minutes. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Login successful";
              token: string;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/login/factor": {
    /**
     * Log in with the second factor
     * @description Completes a login that was answered with `Second factor required`. The code is from the authenticator app, or an unused recovery code. `passkey_token` and `credential` replace it for a passkey. Five wrong codes in 15 minutes lead to 429 for the account.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description From the refused login; valid for five minutes */
            factor_token: string;
            code?: string;
            /** @description From the options; valid once, for two minutes */
            passkey_token?: string;
            /** @description The answer of `navigator.credentials.get()`, as JSON text */
            credential?: string;
          };
        };
      };
      responses: {
        /** @description Success. The token is valid for 30 minutes. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Login successful";
              token: string;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/signup": {
    /**
     * Sign up
     * @description Creates an unverified account and mails a code that is valid for 60 seconds. Each mailbox gets ten codes an hour, and each client network thirty.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            email: string;
            password: string;
            name: string;
          };
        };
      };
      responses: {
        /** @description Success. The token has the claims `email`, `otp_sent` and `exp` and is never accepted as a bearer. */
        200: {
          content: {
            "application/json": {
              token: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/verify-otp": {
    /**
     * Verify a code and activate the account
     * @description Activates the signup that `token` names, or the newest one. Without the token of a signup, a code of forgot-password activates nothing once the address has signed up again. Five wrong guesses invalidate the code; ten in an hour lead to 429 for the account, as do twenty activations in an hour for the client network. Guesses with the token of the code are counted separately. Thirty wrong codes from one client network in 15 minutes lead to 429, with a short Retry-After while they have no answer yet.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            email: string;
            otp: string;
            /** @description The token that signup or forgot-password returned. It selects the signup to activate, and guesses with it are counted separately. */
            token?: string;
          };
        };
      };
      responses: {
        /** @description The account is active. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "OTP verified successfully";
              user_id: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/forgot-password": {
    /**
     * Request a password reset code
     * @description Mails a code that is valid for 60 seconds, at most ten per hour for an account and five of them for one client network, and twenty unused ones a day. Each mailbox gets ten an hour, and each client network thirty. With the token of the newest signup that waits for its code, it is another code of that signup.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            email: string;
            /** @description The token of a signup that waits for its code. */
            token?: string;
          };
        };
      };
      responses: {
        /** @description Success. The token has the claims `email`, `otp_sent` and `exp` and is never accepted as a bearer. */
        200: {
          content: {
            "application/json": {
              token: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/reset-password": {
    /**
     * Set a new password with a code
     * @description Consumes the code and ends every earlier session. Guesses with the token of the code are counted separately. Thirty wrong codes from one client network in 15 minutes lead to 429, with a short Retry-After while they have no answer yet.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            email: string;
            otp: string;
            new_password: string;
            /** @description The token that signup or forgot-password returned. It selects the signup to activate, and guesses with it are counted separately. */
            token?: string;
          };
        };
      };
      responses: {
        /** @description Success. The token has the claims `email`, `otp_sent` and `exp` and is never accepted as a bearer. */
        200: {
          content: {
            "application/json": {
              token: string;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/login/passkey/options": {
    /**
     * Request options to log in with a passkey
     * @description Returns options for `navigator.credentials.get()` and stores nothing. Without a `factor_token` the options are the same for everybody. 404 if passkeys are off, or if the account has none.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description From a login that waits for its second factor; the passkey then completes it */
            factor_token?: string;
          };
        };
      };
      responses: {
        /** @description The options for the browser */
        200: {
          content: {
            "application/json": {
              /** @description To be sent with the answer, within two minutes */
              passkey_token: string;
              /** @description For `navigator.credentials.get()`, as `PublicKeyCredentialRequestOptionsJSON` */
              options: {
                challenge: string;
                rpId: string;
              } & {
                [key: string]: unknown;
              };
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/login/passkey": {
    /**
     * Log in with a passkey
     * @description Completes a login alone, also for an account with a second factor: the passkey must have verified the person. An unknown passkey and a wrong signature get the same answer.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            /** @description From the options; valid once, for two minutes */
            passkey_token: string;
            /** @description The answer of `navigator.credentials.get()`, as JSON text */
            credential: string;
          };
        };
      };
      responses: {
        /** @description Success. The token is valid for 30 minutes. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Login successful";
              token: string;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/login/code": {
    /**
     * Request a code to log in
     * @description Mails a code that is valid for 10 minutes, and a link with it, to the address of a verified account. It replaces earlier codes, each of which stays valid with its own token only. The answer is the same for every address. Each mailbox gets ten codes an hour and twenty unused login codes a day, ten of them from one client network. Each client network gets thirty an hour.
     */
    post: {
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            email: string;
          };
        };
      };
      responses: {
        /** @description If the address has a verified account, its code is on the way. The token belongs to this request and is never accepted as a bearer; `expires_in` is in seconds. */
        200: {
          content: {
            "application/json": {
              token: string;
              expires_in: number;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/v2/login/code/verify": {
    /**
     * Log in with a mailed code
     * @description Uses the code. The answer is that of a login with a password. Five wrong guesses invalidate the code, and guesses with the token of the request are counted separately. The error does not reveal whether the e-mail is known.
     */
    post: {
      parameters: {
        header?: {
          /** @description With `cookie`, the token is set as a cookie that scripts cannot read. The answer then lacks the token, and its `token_type`, if it has one, is `Cookie`. */
          "X-Session-Mode"?: "cookie";
        };
      };
      requestBody: {
        content: {
          "application/x-www-form-urlencoded": {
            email: string;
            code: string;
            /** @description The token of the request. With it, the code stays valid when a later request replaces it. Guesses with it are counted separately. */
            token?: string;
          };
        };
      };
      responses: {
        /** @description Success. The token is valid for 30 minutes. */
        200: {
          content: {
            "application/json": {
              /** @enum {string} */
              message: "Login successful";
              token: string;
              user_id: string | null;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/.well-known/webauthn": {
    /**
     * List the origins of passkeys
     * @description Browsers ask here whether a page at another domain may use the passkeys of this one. 404 where passkeys are off.
     */
    get: {
      responses: {
        /** @description The origins where the passkeys of this domain may be used */
        200: {
          content: {
            "application/json": {
              origins: string[];
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/auth/ways": {
    /**
     * List the ways to log in
     * @description Returns which ways to log in are on, for pages of your own. It names no account, and caches may keep it for five minutes.
     */
    get: {
      responses: {
        /** @description The ways to log in */
        200: {
          content: {
            "application/json": {
              /** @enum {boolean} */
              password: true;
              passkey: boolean;
              /** @description Whether people can log in with a mailed code */
              code: boolean;
              /** @description The providers of social login, in the order of their buttons */
              providers: {
                name: string;
                label: string;
                login_url: string;
              }[];
              /**
               * @description Whether the sign-in page asks for the password at once, or for the e-mail first
               * @enum {string}
               */
              sign_in: "password" | "email-first";
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/chat-3d/respond": {
    /**
     * Send a message to a 3D chatbot
     * @description Forwarded to the chat service, whose response is returned unchanged. Needs a session; the platform checks the rest.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "application/json": {
            chatbot_id: string;
            message: string;
            user_id: string;
          } & {
            [key: string]: unknown;
          };
        };
      };
      responses: {
        /** @description The response of the chat service */
        200: {
          content: {
            "application/json": {
              [key: string]: unknown;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
  "/api/v1/crawl/upload-pdf": {
    /**
     * Upload a PDF to a chatbot
     * @description multipart/form-data with `file` and `chatbot_id`. Forwarded to the crawler, whose response is returned unchanged. Needs a session; the platform checks the rest.
     */
    post: {
      parameters: {
        header?: {
          /** @description Repeating the call with the same key within 24 hours has no further effect. */
          "Idempotency-Key"?: string;
        };
      };
      requestBody: {
        content: {
          "multipart/form-data": {
            /** Format: binary */
            file: string;
            chatbot_id: string;
          };
        };
      };
      responses: {
        /** @description The response of the crawler */
        200: {
          content: {
            "application/json": {
              [key: string]: unknown;
            };
          };
        };
        /** @description The call failed */
        default: {
          content: {
            "application/json": Failure;
          };
        };
      };
    };
  };
}
export interface webhooks {
  "chatbot.created": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "chatbot.created";
            /** Format: date-time */
            timestamp: string;
            data: {
              chatbot_id: string;
              user_id: string;
              name: string;
              /** @enum {string} */
              type: "3d" | "text" | "voice";
              language: string;
              /** Format: date-time */
              created_at: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "conversation.started": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "conversation.started";
            /** Format: date-time */
            timestamp: string;
            data: {
              conversation_id: string;
              chatbot_id: string;
              user_id: string;
              /** Format: date-time */
              started_at: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "conversation.ended": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "conversation.ended";
            /** Format: date-time */
            timestamp: string;
            data: {
              conversation_id: string;
              chatbot_id: string;
              user_id: string;
              /** Format: date-time */
              started_at: string;
              /** Format: date-time */
              ended_at: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "payment.succeeded": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "payment.succeeded";
            /** Format: date-time */
            timestamp: string;
            data: {
              payment_id: string;
              user_id: string;
              subscription_id: string;
              amount: number;
              currency: string;
              /** Format: date-time */
              paid_at: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "payment.failed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "payment.failed";
            /** Format: date-time */
            timestamp: string;
            data: {
              payment_id: string;
              user_id: string;
              subscription_id: string;
              amount: number;
              currency: string;
              reason: string;
              /** Format: date-time */
              failed_at: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "subscription.cancelled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "subscription.cancelled";
            /** Format: date-time */
            timestamp: string;
            data: {
              subscription_id: string;
              user_id: string;
              plan: string;
              /** Format: date-time */
              cancelled_at: string;
              /** Format: date-time */
              ends_at: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.created": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.created";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description The name in the profile */
              name: string;
              /** Format: email */
              email: string;
              /**
               * @description How the account came about
               * @enum {string}
               */
              source: "signup" | "social" | "sso" | "scim";
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.updated": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.updated";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description The name in the profile */
              name: string;
              /** @description The names of the fields that changed */
              changed: string[];
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.disabled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.disabled";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description The name in the profile */
              name: string;
              /** @description The organization that disabled the account; null for a receiver in another organization */
              organization_id: string | null;
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.factor_enabled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.factor_enabled";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description The name in the profile */
              name: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.factor_disabled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.factor_disabled";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description The name in the profile */
              name: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.passkey_added": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.passkey_added";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description The name in the profile */
              name: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.passkey_removed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.passkey_removed";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description The name in the profile */
              name: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "user.deleted": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "user.deleted";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "session.created": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "session.created";
            /** Format: date-time */
            timestamp: string;
            data: {
              /** @description Names the session; it is not a credential */
              session_id: string;
              user_id: string;
              /** @enum {string} */
              method: "password" | "passkey" | "code" | "social" | "sso";
              /** @description The connection of a login by single sign-on; null for a receiver in another organization than that of the connection */
              connection_id: string | null;
            };
          };
        };
      };
      responses: never;
    };
  };
  "password.reset": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "password.reset";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
            };
          };
        };
      };
      responses: never;
    };
  };
  "password.changed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "password.changed";
            /** Format: date-time */
            timestamp: string;
            data: {
              user_id: string;
              /** @description Whether the account had no password */
              first: boolean;
            };
          };
        };
      };
      responses: never;
    };
  };
  "organization.member.added": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "organization.member.added";
            /** Format: date-time */
            timestamp: string;
            data: {
              organization_id: string;
              /** @description Null: the organization itself */
              department_id: string | null;
              user_id: string;
              /** @description The name in the profile */
              name: string;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
      };
      responses: never;
    };
  };
  "organization.member.removed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "organization.member.removed";
            /** Format: date-time */
            timestamp: string;
            data: {
              organization_id: string;
              /** @description Null: the organization itself */
              department_id: string | null;
              user_id: string;
              /** @description The name in the profile */
              name: string;
              /**
               * @description The role that ended
               * @enum {string}
               */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
      };
      responses: never;
    };
  };
  "organization.member.role_changed": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "organization.member.role_changed";
            /** Format: date-time */
            timestamp: string;
            data: {
              organization_id: string;
              /** @description Null: the organization itself */
              department_id: string | null;
              user_id: string;
              /** @description The name in the profile */
              name: string;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
              /** @enum {string} */
              previous_role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
      };
      responses: never;
    };
  };
  "invitation.created": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "invitation.created";
            /** Format: date-time */
            timestamp: string;
            data: {
              invitation_id: string;
              organization_id: string;
              /** @description Null: the organization itself */
              department_id: string | null;
              /** @description The invited address; null for an invitation by `user_id` */
              email: string | null;
              /** @description The invited `user_id`; null for an invitation by e-mail until it is accepted */
              user_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
              invited_by: string | null;
            };
          };
        };
      };
      responses: never;
    };
  };
  "invitation.accepted": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "invitation.accepted";
            /** Format: date-time */
            timestamp: string;
            data: {
              invitation_id: string;
              organization_id: string;
              /** @description Null: the organization itself */
              department_id: string | null;
              /** @description The invited address; null for an invitation by `user_id` */
              email: string | null;
              /** @description The invited `user_id`; null for an invitation by e-mail until it is accepted */
              user_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
      };
      responses: never;
    };
  };
  "invitation.declined": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "invitation.declined";
            /** Format: date-time */
            timestamp: string;
            data: {
              invitation_id: string;
              organization_id: string;
              /** @description Null: the organization itself */
              department_id: string | null;
              /** @description The invited address; null for an invitation by `user_id` */
              email: string | null;
              /** @description The invited `user_id`; null for an invitation by e-mail until it is accepted */
              user_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
      };
      responses: never;
    };
  };
  "invitation.withdrawn": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "invitation.withdrawn";
            /** Format: date-time */
            timestamp: string;
            data: {
              invitation_id: string;
              organization_id: string;
              /** @description Null: the organization itself */
              department_id: string | null;
              /** @description The invited address; null for an invitation by `user_id` */
              email: string | null;
              /** @description The invited `user_id`; null for an invitation by e-mail until it is accepted */
              user_id: string | null;
              /** @enum {string} */
              role: "Owner" | "Admin" | "Editor" | "Viewer" | "Analyst";
            };
          };
        };
      };
      responses: never;
    };
  };
  "webhook.disabled": {
    post: {
      requestBody: {
        content: {
          "application/json": {
            /** @constant */
            event: "webhook.disabled";
            /** Format: date-time */
            timestamp: string;
            data: {
              webhook_id: string;
              name: string | null;
              /** @description Null for the webhook of an account */
              organization_id: string | null;
              department_id: string | null;
              /**
               * @description `gone`: the receiver answered 410
               * @enum {string}
               */
              reason: "gone" | "failing";
              /** Format: date-time */
              disabled_at: string;
            };
          };
        };
      };
      responses: never;
    };
  };
}
