import { useEffect, useState } from 'preact/hooks';
import { arrival } from '../../../arrival.ts';
import { config } from '../../../config.ts';
import { html } from '../../../html.ts';
import { Address } from '../../../parts/address.ts';
import { Button } from '../../../parts/button.ts';
import { Confirm } from '../../../parts/confirm.ts';
import { Mark } from '../../../parts/mark.ts';
import type { Result } from '../../../parts/result.ts';
import { Section } from '../../../parts/section.ts';
import { formatAgo, texts } from '../../../security-texts.ts';
import { beginLink, type Link, unlink } from './calls.ts';

const { links: words } = texts.security;
const { providers } = config.ways;

interface Row {
  provider: string;
  label: string;
  link?: Link;
}

/** All links, including those at providers that are now off, and the providers that are not linked. */
function rowsOf(links: Link[]): Row[] {
  const labelOf = (name: string) => providers.find((provider) => provider.name === name)?.label ?? name;
  const isLinked = (name: string) => links.some(({ provider }) => provider === name);
  return [
    ...links.map((link) => ({ provider: link.provider, label: labelOf(link.provider), link })),
    ...providers.filter(({ name }) => !isLinked(name)).map(({ name, label }) => ({ provider: name, label })),
  ];
}

function describe(link?: Link) {
  if (!link) return html`<span class="hint">${words.notLinked}</span>`;
  const { email, last_login_at } = link;
  return html`
    <span class="hint">${email ? html`<${Address} email=${email} />` : words.linked}</span>
    ${last_login_at && html`<span class="hint">${words.used(formatAgo(last_login_at))}</span>`}
  `;
}

/** The accounts at providers with which the person signs in. */
export function LinksSection({
  links,
  onChanged,
  result,
}: {
  links: Link[];
  onChanged: () => Promise<void>;
  result: Result;
}) {
  const [unlinking, setUnlinking] = useState<Required<Row>>();
  const rows = rowsOf(links);
  useEffect(() => {
    const linked = rows.find(({ provider, link }) => link && provider === arrival.linked);
    if (linked) result.succeed(words.done(linked.label));
    delete arrival.linked;
  }, []);
  if (rows.length === 0) return null;

  const link = (provider: string) =>
    beginLink(provider).then(({ redirect_url }) => location.assign(redirect_url), result.fail);
  const confirm = async () => {
    if (!unlinking) return;
    await unlink(unlinking.link.link_id);
    await onChanged();
    result.succeed(words.unlinked(unlinking.label));
  };
  return html`
    <${Section} title=${words.title}>
      <p class="hint">${words.hint}</p>
      <ul class="entries">
        ${rows.map(
          ({ provider, label, link: linked }) => html`
            <li key=${linked?.link_id ?? provider}>
              <${Mark} way=${provider} />
              <div class="device"><strong>${label}</strong>${describe(linked)}</div>
              ${
                linked
                  ? html`<${Button} label=${words.unlinkOf(label)} onClick=${() => setUnlinking({ provider, label, link: linked })}>${words.unlink}<//>`
                  : html`<${Button} label=${words.linkOf(label)} onClick=${() => link(provider)}>${words.link}<//>`
              }
            </li>
          `,
        )}
      </ul>
      ${
        unlinking &&
        html`
          <${Confirm}
            title=${words.unlinkQuestion(unlinking.label)}
            action=${words.unlinkOf(unlinking.label)}
            onConfirm=${confirm}
            onClose=${() => setUnlinking(undefined)}
          >
            ${words.unlinkExplanation(unlinking.label)}
          <//>
        `
      }
    <//>
  `;
}
