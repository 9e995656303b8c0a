/** What the client and the lab wrote about an experiment, with the form that adds to it. */
import type { Output } from '#core/operation.ts';
import { defineAction, renderAction } from '#ui/action.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { readKey, type FormsView } from '#ui/form.ts';
import { getField, getPathParameter } from '#ui/http.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderTime } from '#ui/words.ts';
import { listLabMessages, listMessages, sendLabMessage, sendMessage } from '../contract.ts';

const SHOWN_MAX = 100;
const PAGE = '/experiments/:experiment_id';
const FIELDS = {
  text: {
    label: 'Message',
    kind: 'area',
    isRequired: true,
    hint: 'Name a colleague with @ and the address: the person gets a mail.',
  },
} as const;

/** Of an experiment, or of the result whose page it stands on. */
export const writeToLab = defineAction(sendMessage, {
  path: `${PAGE}/messages`,
  page: PAGE,
  button: 'Send to the lab',
  fields: FIELDS,
  does: async ({ api, form, request }: FormContext) => {
    const params = { experiment_id: getPathParameter(request, 'experiment_id') };
    const resultId = getField(form, 'result_id');
    const body = { text: getField(form, 'text'), ...(resultId === '' ? {} : { result_id: resultId }) };
    await api.reply(sendMessage, { params, body, idempotencyKey: readKey(form) });
    return `/experiments/${encodeURIComponent(params.experiment_id)}#messages`;
  },
});

export const writeToClient = defineAction(sendLabMessage, {
  path: `/lab${PAGE}/messages`,
  page: `/lab${PAGE}`,
  button: 'Send to the client',
  fields: FIELDS,
});

type Message = Output<typeof listMessages>['items'][number];
type LabMessage = Output<typeof listLabMessages>['items'][number];
interface Talk<Item> {
  /** The newest ones, oldest first. */
  readonly items: readonly Item[];
  readonly total: number;
}

/** Undefined for those who may not read it. */
export async function loadTalk(
  { api, session }: PortalContext,
  code: string,
): Promise<Talk<Message> | undefined> {
  if (!canCall(session, listMessages)) return undefined;
  const query = { sort: '-created_at', limit: SHOWN_MAX };
  const { items, total } = await api.call(listMessages, { params: { experiment_id: code }, query });
  return { items: items.toReversed(), total };
}

export async function loadLabTalk({ api }: PortalContext, experimentId: string): Promise<Talk<LabMessage>> {
  const query = { filter: `eq(experiment_id,${experimentId})`, sort: '-created_at', limit: SHOWN_MAX };
  const { items, total } = await api.call(listLabMessages, { query });
  return { items: items.toReversed(), total };
}

export function renderTalkCard(
  forms: FormsView,
  code: string,
  talk: Talk<Message> | undefined,
): Markup | null {
  if (talk === undefined) return null;
  const form = renderAction(forms, writeToLab, { params: { experiment_id: code } });
  if (form === null && talk.total === 0) return null;
  const items = talk.items.map((message) => renderMessage(message, 'Your organization', true));
  return renderCard(talk.total, items, form, 'Read by your organization and the lab');
}

export function renderLabTalkCard(forms: FormsView, code: string, talk: Talk<LabMessage>): Markup {
  const items = talk.items.map((message) => renderMessage(message, 'The client', false));
  const form = renderAction(forms, writeToClient, { params: { experiment_id: code } });
  return renderCard(talk.total, items, form, 'The client reads them, without your name');
}

/** The form beside a result; what it sends stands on the page of the experiment. */
export function renderQuestion(forms: FormsView, code: string, resultId: string): Markup | null {
  const params = { experiment_id: code, result_id: resultId };
  return renderAction(forms, writeToLab, { params, summary: 'Ask the lab about this result' });
}

function renderCard(total: number, items: readonly Markup[], form: Markup | null, readers: string): Markup {
  const earlier = total - items.length;
  const list =
    items.length === 0
      ? markup`<p class="muted">No messages yet.</p>`
      : markup`${earlier > 0 && markup`<p class="hint">${earlier.toLocaleString('en-US')} earlier messages are in the API.</p>`}<ol class="rows talk">${items}</ol>`;
  return markup`<section class="card" aria-labelledby="messages"><div class="card-head"><h2 id="messages">Messages</h2><p class="hint">${readers}</p></div>${list}${form}</section>`;
}

function renderMessage(
  { author, side, text, created_at: at, result_id: resultId, sequence_name: sequence }: Message,
  client: string,
  isLinked: boolean,
): Markup {
  const writer = author ?? (side === 'lab' ? 'The lab' : client);
  const name = markup`<bdi>${sequence ?? 'a result'}</bdi>`;
  const about =
    resultId !== null &&
    markup` · about ${isLinked ? markup`<a href="/results/${resultId}">${name}</a>` : name}`;
  return markup`<li class="${side}"><div><p class="written"><bdi>${text}</bdi></p><p class="hint"><bdi>${writer}</bdi> · ${renderTime(at)}${about}</p></div></li>`;
}
