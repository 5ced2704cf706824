import { html } from '../../html.ts';
import type { Result } from '../../parts/result.ts';
import { useData } from '../../parts/use-data.ts';
import type { Profile } from '../../profile.ts';
import { AuthenticatorSection } from './security/authenticator.ts';
import { type Factors, readFactors } from './security/calls.ts';
import { EmailSection } from './security/email.ts';
import { LinksSection } from './security/links.ts';
import { Overview } from './security/overview.ts';
import { PasskeysSection } from './security/passkeys.ts';
import { PasswordSection } from './security/password.ts';
import { Loading, useProfile } from './use-profile.ts';

/** How the person signs in, and what protects the account. */
export default function Security({ result }: { result: Result }) {
  const profile = useProfile();
  const factors = useData('factors', readFactors);
  return html`
    <${Loading} loaded=${factors}>
      ${(loaded: Factors) => html`
        <${Overview} factors=${loaded} />
        <${Loading} loaded=${profile}>
          ${({ email }: Profile) => html`
            <${EmailSection} email=${email} onChanged=${profile.reload} result=${result} />
            <${PasswordSection}
              email=${email}
              state=${loaded.password}
              onChanged=${factors.reload}
              result=${result}
            />
          `}
        <//>
        <${PasskeysSection} passkeys=${loaded.passkeys} onChanged=${factors.reload} result=${result} />
        <${LinksSection} links=${loaded.links} onChanged=${factors.reload} result=${result} />
        <${AuthenticatorSection} factors=${loaded} onChanged=${factors.reload} result=${result} />
      `}
    <//>
  `;
}
