import { useState } from 'preact/hooks';
import { formatDateTime, texts } from '../../account-texts.ts';
import { html } from '../../html.ts';
import { ActionButton } from '../../parts/action-button.ts';
import { Badge } from '../../parts/badge.ts';
import { Button } from '../../parts/button.ts';
import { Confirm } from '../../parts/confirm.ts';
import { Facts } from '../../parts/facts.ts';
import { Form } from '../../parts/form.ts';
import { LoadFailure } from '../../parts/load-failure.ts';
import { PageTitle } from '../../parts/page-title.ts';
import type { Result } from '../../parts/result.ts';
import { Section } from '../../parts/section.ts';
import { changeAndReload, useData } from '../../parts/use-data.ts';
import { navigate, withQuery } from '../../router.ts';
import { AccessList } from './access.ts';
import { deleteChatbot, duplicateChatbot, getChatbot, moveChatbot, updateChatbot } from './calls.ts';
import { ChatbotInputs, chatbotFields } from './fields.ts';
import { MoveChatbot } from './move.ts';
import { ChatbotPlace } from './place.ts';

const words = texts.chatbots;

/** One chatbot: its settings and its access list, as far as the reader's role allows. */
export function Chatbot({ id, result }: { id: string; result: Result }) {
  const [isDeleting, setDeleting] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const loaded = useData(id, () => getChatbot(id));
  const list = withQuery({ chatbot: undefined });
  const back = { path: list, title: texts.titles.chatbots };
  if (!loaded.data || loaded.error?.status === 404) {
    return html`
      <${PageTitle} back=${back}>${texts.chatbots.one}<//>
      <${LoadFailure} loaded=${loaded} gone=${words.gone} />
    `;
  }
  const chatbot = loaded.data;
  const { access } = chatbot;
  const may = (permission: string) => access.permissions.includes(permission);
  const isActive = chatbot.status === 'active';

  const save = async (fields: Record<string, string>) => {
    const given = Object.entries(chatbotFields(fields));
    // Only what has changed: somebody else may be changing the other fields.
    const changes = given.filter(([name, value]) => value !== chatbot[name as keyof typeof chatbot]);
    if (changes.length > 0)
      await changeAndReload(loaded.reload, () => updateChatbot(id, Object.fromEntries(changes)));
    result.succeed(words.saved);
  };
  const toggle = async () => {
    const status = isActive ? 'paused' : 'active';
    await changeAndReload(loaded.reload, () => updateChatbot(id, { status }));
    return words.changedTo[status];
  };
  const duplicate = async () => {
    const copy = await changeAndReload(loaded.reload, () => duplicateChatbot(id));
    navigate(withQuery({ chatbot: copy.chatbot_id }));
    return words.created(copy.name);
  };
  const move = async (department: string | null) => {
    await changeAndReload(loaded.reload, () => moveChatbot(id, department));
    setMoving(false);
    result.succeed(words.moved(chatbot.name));
  };
  const actions = html`
    ${may('edit chatbot') && html`<${ActionButton} run=${toggle} result=${result} otherText=${isActive ? words.resume : words.pause}>${isActive ? words.pause : words.resume}<//>`}
    ${may('duplicate chatbot') && html`<${ActionButton} run=${duplicate} result=${result}>${words.duplicate}<//>`}
    ${may('delete chatbot') && html`<${Button} onClick=${() => setMoving(true)}>${words.move}<//>`}
    ${may('delete chatbot') && html`<${Button} onClick=${() => setDeleting(true)}>${words.delete}<//>`}
  `;
  return html`
    <${PageTitle} back=${back} actions=${actions}>${chatbot.name}<//>
    <${Section} title=${words.settings}>
      <${Facts}
        facts=${[
          [
            words.status,
            html`<${Badge} tone=${isActive ? 'good' : 'quiet'}>${words.statuses[chatbot.status]}<//>`,
          ],
          [words.yourRole, texts.roles[access.role]],
          [words.place, html`<${ChatbotPlace} chatbot=${chatbot} />`],
          [words.updated, formatDateTime(chatbot.updated_at)],
          ...(may('edit chatbot')
            ? []
            : [
                [words.type, words.types[chatbot.type]],
                [words.language, chatbot.language],
                [words.avatar, chatbot.avatar_id],
              ]),
          [words.id, html`<code>${chatbot.chatbot_id}</code>`, true],
        ]}
      />
      ${
        may('edit chatbot') &&
        html`
          <${Form} submit=${texts.lists.save} onSubmit=${save}>
            <${ChatbotInputs} chatbot=${chatbot} />
          <//>
        `
      }
    <//>
    ${access.list && html`<${AccessList} id=${id} own=${access} loaded=${{ ...loaded, data: { data: access.list } }} result=${result} />`}
    ${isMoving && html`<${MoveChatbot} onMove=${move} onClose=${() => setMoving(false)} />`}
    ${
      isDeleting &&
      html`
        <${Confirm}
          title=${words.deleteTitle(chatbot.name)}
          action=${texts.actions.deleteChatbot}
          name=${chatbot.name}
          onClose=${() => setDeleting(false)}
          onConfirm=${async () => {
            await deleteChatbot(id);
            result.succeed(words.deleted(chatbot.name));
            navigate(list, { replace: true });
          }}
        >
          ${words.deleteWarning}
        <//>
      `
    }
  `;
}
