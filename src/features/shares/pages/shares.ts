/** `/organization/shares`: the read-only links of the organization, and the form that makes one. */
import type { Output } from '#core/operation.ts';
import { formatCount } from '#core/words.ts';
import { defineAction, readBody, renderAction, renderDone } from '#ui/action.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { createFormsView, type FormsView } from '#ui/form.ts';
import { getField, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { readOffset } from '#ui/list.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { renderChip, renderPager } from '#ui/pieces.ts';
import type { Routes } from '#ui/routes.ts';
import { addPortalActions, type Remark } from '#ui/screen.ts';
import { canCall } from '#ui/session.ts';
import { renderDay, renderTime, toSentenceCase } from '#ui/words.ts';
import { getExperiment } from '../../experiments/contract.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';
import { getResultInfo } from '../../results/contract.ts';
import { createShare, listShares, revokeShare } from '../contract.ts';
import { SHARE_LIFE, type ShareState } from '../rules.ts';

const PATH = '/organization/shares';
const PAGE_SIZE = 50;

const create = defineAction(createShare, {
  path: `${PATH}/create`,
  page: PATH,
  button: 'Make the link',
  tone: 'primary',
  fields: {
    title: { label: 'Title', hint: 'Optional; what readers see first.' },
    shared_by: { label: 'Shared by', hint: 'Optional; without it, nobody is named.', isPaired: true },
    expires_in: {
      label: 'Ends after',
      isPaired: true,
      options: [
        ['1d', 'A day'],
        ['7d', '7 days'],
        ['30d', '30 days'],
        ['90d', '90 days'],
        ['1y', 'A year'],
      ],
    },
    shows_sequences: { label: 'Show the amino acids' },
    allows_csv: { label: 'Let readers save values and curves as CSV' },
  },
  does: createOne,
});
const revoke = defineAction(revokeShare, {
  path: `${PATH}/revoke`,
  page: PATH,
  button: 'Revoke',
  tone: 'danger',
  hint: 'The link stops working at once, for everybody who has it.',
  summary: 'Revoke',
  done: 'The link is revoked.',
});

export function addSharePages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, (context) => loadSharesPage(context));
  addPortalActions(routes, parts, [create, revoke], loadSharesPage);
}

/** What the address, or a form that was refused, asks to share. */
interface Subject {
  readonly params: Readonly<Record<string, string>>;
  readonly name: string;
  readonly back: string;
}

async function findSubject(
  { api, request, session }: PortalContext,
  remark?: Remark,
): Promise<Subject | null> {
  if (!canCall(session, createShare)) return null;
  const read = (name: string) => remark?.typed[name] ?? queryParameter(request, name);
  const [resultId, experimentId] = [read('result_id'), read('experiment_id')];
  if (resultId !== '') {
    const { id, title } = await api.call(getResultInfo, { params: { result_id: resultId } });
    return { params: { result_id: id }, name: title, back: `/results/${id}` };
  }
  if (experimentId === '') return null;
  const { code, name } = await api.call(getExperiment, { params: { experiment_id: experimentId } });
  return {
    params: { experiment_id: code },
    name: `all released results of ${name ?? code}`,
    back: `/experiments/${code}`,
  };
}

async function loadSharesPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session } = context;
  const offset = readOffset(request);
  const [listed, subject] = await Promise.all([
    api.call(listShares, { query: { limit: PAGE_SIZE, offset } }),
    findSubject(context, remark),
  ]);
  const forms = createFormsView(context, remark);
  const rows = listed.items.map((share) => renderShare(forms, share));
  const body = markup`${renderSettingsHead(session, 'shares')}
${renderDone(context, [revoke])}
<div class="stack">
${subject === null ? renderHint() : renderCreateCard(forms, subject)}
<section class="card" aria-labelledby="shares"><h2 id="shares">${formatCount(listed.total, 'link')}</h2>
${listed.total === 0 ? markup`<p class="muted">Nothing is shared.</p>` : markup`<ul class="rows">${rows}</ul>`}
${listed.total > listed.count && renderPager(PATH, {}, listed, PAGE_SIZE, 'link')}</section>
</div>`;
  return { title: 'Shared links', body, section: 'organization' };
}

const renderHint = (): Markup =>
  markup`<p class="hint">To share a result or an experiment, open it and choose “Share”.</p>`;

function renderCreateCard(forms: FormsView, { params, name, back }: Subject): Markup {
  const form = renderAction(forms, create, { params, values: { expires_in: SHARE_LIFE } });
  return markup`<section class="card" aria-labelledby="create"><h2 id="create">Share <bdi>${name}</bdi></h2>
<p class="hint">Whoever has the link reads the values, curves and figures without an account, in their present version; no price, no code and no other experiment. <a href="${back}">Back</a></p>${form}</section>`;
}

const STATE_TONES: Readonly<Record<ShareState, string>> = {
  open: 'good',
  revoked: 'idle',
  expired: 'idle',
  withdrawn: 'warn',
};

type Share = Output<typeof listShares>['items'][number];

function renderShare(forms: FormsView, share: Share): Markup {
  const path = `/experiments/${share.experiment_code}`;
  const what =
    share.sequence_name === null ? 'All released results' : markup`<bdi>${share.sequence_name}</bdi>`;
  const shown = [
    share.shows_sequences ? 'with amino acids' : 'without amino acids',
    share.allows_csv ? 'with CSV' : 'without CSV',
  ].join(', ');
  const end = share.status === 'open' ? 'until' : share.status === 'expired' ? 'ended' : 'would have ended';
  const isEndless = share.status !== 'open' && share.status !== 'withdrawn';
  return markup`<li><div><strong>${share.title === null ? what : markup`<bdi>${share.title}</bdi>`}</strong> ${renderChip(STATE_TONES[share.status], toSentenceCase(share.status))}
<p class="hint">${share.title !== null && markup`${what} · `}<a href="${path}" class="mono">${share.experiment_code}</a> · ${shown} · ${share.opened_at === null ? 'not opened yet' : markup`last opened ${renderTime(share.opened_at)}`}</p>
<p class="hint">by <bdi>${share.made_by}</bdi> on ${renderDay(share.created_at)} · ${end} ${renderDay(share.expires_at)}${share.status === 'withdrawn' && ' · ended with who or what made it'}</p></div>${!isEndless && renderAction(forms, revoke, { params: { share_id: share.id } })}</li>`;
}

async function createOne({ api, form, session }: FormContext): Promise<PageContent> {
  const named = ['experiment_id', 'result_id'].flatMap((name) => {
    const value = getField(form, name);
    return value === '' ? [] : [[name, value] as const];
  });
  const body = { ...readBody(create, form), ...Object.fromEntries(named) };
  const made = await api.call(createShare, { body });
  const back = named.map(([name, id]) => (name === 'result_id' ? `/results/${id}` : `/experiments/${id}`))[0];
  const shown = markup`${renderSettingsHead(session, 'shares')}
<section class="card" aria-labelledby="made"><h2 id="made">The link</h2>
<p><strong>Copy it now: it is shown only once.</strong> We keep no copy. Whoever has it can read what you share, until ${renderDay(made.expires_at)} or until you revoke it.</p>
<p><code class="secret" id="secret">${made.link ?? ''}</code></p>
<p><button type="button" data-copy="secret" hidden>Copy the link</button> <span class="hint" role="status" data-copied></span></p>
<p class="actions"><a class="button" href="${made.link ?? ''}">Open it</a> <a class="button quiet" href="${back ?? PATH}">Back</a> <a class="button quiet" href="${PATH}">All links</a></p></section>`;
  return { title: 'New link', body: shown, section: 'organization', scripts: ['copy'] };
}
