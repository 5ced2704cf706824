import { KEY_PERMISSIONS, type KeyPermission } from '@gatehouse/shared/access/key-permissions';
import { html } from '../../html.ts';
import { texts } from '../../key-texts.ts';

const words = texts.keys;

/** The groups of permissions, in the order of what most keys need. */
const GROUPS = {
  chatbots: ['view chatbot', 'create chatbot', 'edit chatbot', 'duplicate chatbot', 'delete chatbot'],
  content: [
    'view prompts',
    'edit system prompts',
    'view knowledge base',
    'upload files',
    'add URLs',
    'manage Q&A',
  ],
  insight: ['view analytics', 'custom reports', 'export data', 'view users'],
  billing: ['view billing', 'manage payment', 'upgrade/downgrade plan'],
  account: ['view organizations', 'view profile', 'edit profile', 'view audit'],
  more: ['manage webhooks', 'platform', 'view admin', 'admin'],
} as const satisfies Record<string, readonly KeyPermission[]>;

type Group = keyof typeof GROUPS;

/** The choice of permissions among those that a key of its owner can have. */
export const PermissionInputs = ({
  hint,
  offered,
  chosen = [],
}: {
  hint: string;
  offered: readonly KeyPermission[];
  chosen?: readonly KeyPermission[] | undefined;
}) => html`
  <fieldset class="checks">
    <legend>${words.permissions}</legend>
    <p class="hint">${hint}</p>
    ${(Object.keys(GROUPS) as Group[])
      .map((group) => ({
        group,
        permissions: (GROUPS[group] as readonly KeyPermission[]).filter((each) => offered.includes(each)),
      }))
      .filter(({ permissions }) => permissions.length > 0)
      .map(
        ({ group, permissions }) => html`
          <details open=${group === 'chatbots' || permissions.some((each) => chosen.includes(each))}>
            <summary>${words.groups[group]}</summary>
            ${permissions.map(
              (permission) => html`
                <label>
                  <input type="checkbox" name=${permission} defaultChecked=${chosen.includes(permission)} />
                  <span>${words.names[permission]} <code>${permission}</code></span>
                </label>
              `,
            )}
          </details>
        `,
      )}
  </fieldset>
`;

export const permissionsIn = (fields: Record<string, string>): KeyPermission[] =>
  KEY_PERMISSIONS.filter((permission) => fields[permission] === 'on');
