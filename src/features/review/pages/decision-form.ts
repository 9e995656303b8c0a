/** The form with which a reviewer accepts, excludes or repeats replicates; one row for each. */
import { fail } from '#core/failures.ts';
import { decisions, isSameReplicate, type DecisionName } from '../rules.ts';
import { renderFlagLinksInForm } from '../../results/pages/flag-links.ts';
import { toSentenceCase } from '#ui/words.ts';
import { formatConcentration } from '#core/number-words.ts';
import { getField, type Form } from '#ui/http.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields, renderRefusal, type FormsView } from '#ui/form.ts';
import type { DecisionRow, Review } from './decision-rows.ts';

const WORDS: Readonly<Record<DecisionName, string>> = {
  accept: 'Accept',
  exclude: 'Exclude',
  repeat: 'Repeat',
};

/** A page has so many rows, so that a browser may send all of its fields. */
const ROWS_MAX = 80;

interface DecisionForm {
  /** Where the form is sent. */
  readonly action: string;
  /** The id of the result whose page it stands on; empty on the page of the review. */
  readonly page: string;
  readonly id: string;
  readonly label: string;
  readonly rows: readonly DecisionRow[];
  /** Whether a repeat is possible: only before the release. */
  readonly mayRepeat: boolean;
  /** The page of each sequence, below which its curves stand; undefined on that page itself. */
  readonly findPage?: (sequence: string) => string | undefined;
}

export function renderDecisionForm(
  { session, createKey, remark }: FormsView,
  { action, page, id, label, rows, mayRepeat, findPage }: DecisionForm,
): Markup {
  const typed = remark?.action === action ? remark : undefined;
  const choices = decisions.filter((each) => mayRepeat || each !== 'repeat');
  const body = rows
    .slice(0, ROWS_MAX)
    .map((row, index) => renderRow(row, { id: `${id}-${index}`, choices, typed: typed?.typed, findPage }));
  return markup`<form method="post" action="${action}" class="decisions" data-review>${renderFormFields(session, createKey())}<input type="hidden" name="page" value="${page}">
${typed !== undefined && renderRefusal(typed)}
<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="folding">
<thead><tr>${findPage !== undefined && markup`<th scope="col">Sequence</th>`}<th scope="col">Replicate</th><th scope="col">Value</th><th scope="col">Flags</th><th scope="col">Decision</th><th scope="col">Reason</th></tr></thead><tbody>${body}</tbody></table></div>
<div class="save-decisions"><button class="primary">Save the decisions</button>
<p class="hint">Clients read the reason after the release. What counts changes with another analysis, which starts by itself.</p></div></form>`;
}

interface RowView {
  readonly id: string;
  readonly choices: readonly DecisionName[];
  readonly typed: Form | undefined;
  readonly findPage: DecisionForm['findPage'];
}

function renderRow(row: DecisionRow, { id, choices, typed, findPage }: RowView): Markup {
  const { key, outcome, value, flags, decidedBy } = row;
  const name = writeKey(row);
  const chosen = typed?.[`d.${name}`] ?? row.decision;
  const reason = typed?.[`r.${name}`] ?? row.reason;
  const radios = choices.map(
    (choice) =>
      markup`<label class="choice ${choice}"><input type="radio" name="d.${name}" value="${choice}"${choice === chosen && markup` checked`}> <span>${WORDS[choice]}</span></label>`,
  );
  const page = findPage?.(key.sequence);
  const place = [key.plate, key.well].filter((part) => part !== null && part !== '').join(' ');
  const isOut = outcome === undefined;
  const replicateName = `${key.sequence}, replicate ${key.replicate}${key.concentration_m === null ? '' : ` at ${formatConcentration(key.concentration_m)}`}`;
  return markup`<tr class="replicate${row.decision !== 'accept' && ' left-out'}" id="${id}">
${findPage !== undefined && markup`<th scope="row">${page === undefined ? markup`<bdi>${key.sequence}</bdi>` : markup`<a href="${page}"><bdi>${key.sequence}</bdi></a>`}</th>`}
<td data-label="Replicate"><span>${key.replicate}${key.concentration_m !== null && markup` at <strong class="nowrap">${formatConcentration(key.concentration_m)}</strong>`}<span class="sub">${place}</span></span></td>
<td data-label="Value"><span class="nowrap">${value ?? (isOut ? markup`<span class="muted">left out</span>` : markup`<span class="muted">${toSentenceCase(outcome ?? '–')}</span>`)}</span></td>
<td data-label="Flags"><span>${flags.length === 0 ? markup`<span class="muted">none</span>` : renderFlagLinksInForm(flags)}</span></td>
<td data-label="Decision"><fieldset class="choices"><legend class="visually-hidden">Decision on ${replicateName}</legend>${radios}</fieldset></td>
<td data-label="Reason"><span class="reason"><input type="text" name="r.${name}" value="${reason}" maxlength="500" autocomplete="off" aria-label="Reason for ${replicateName}">${decidedBy !== null && markup`<span class="sub"><bdi>${decidedBy}</bdi></span>`}</span></td></tr>`;
}

type Key = DecisionRow['key'];

/** What a row decides about, as a name of fields. */
function writeKey({ key }: Pick<DecisionRow, 'key'>): string {
  const { sequence, plate, replicate, well, concentration_m: dose } = key;
  return Buffer.from(JSON.stringify([sequence, plate, replicate, well, dose])).toString('base64url');
}

function parseKey(text: string): Key {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(parts)) {
      const [sequence, plate, replicate, well, dose] = parts.map((part: unknown) => part);
      if (typeof sequence === 'string' && typeof plate === 'string' && typeof replicate === 'number')
        return {
          sequence,
          plate,
          replicate,
          well: typeof well === 'string' ? well : null,
          concentration_m: typeof dose === 'number' ? dose : null,
        };
    }
  } catch {
    // The answer is the same as to any other name that no page has made.
  }
  throw fail('invalid_request', { reason: 'the form names a row that no page has.' });
}

/** Reads the rows whose decision or reason differs from the one that holds. Throws `invalid_request` without any. */
export function readDecisions(form: Form, held: Review['decisions']): Readonly<Record<string, unknown>>[] {
  const changed = Object.keys(form).flatMap((name) => {
    if (!name.startsWith('d.')) return [];
    const text = name.slice('d.'.length);
    const key = parseKey(text);
    const decision = getField(form, name);
    const reason = getField(form, `r.${text}`);
    const before = held.find((each) => isSameReplicate(each, key));
    const isAccepted = decision === 'accept' && (before?.decision ?? 'accept') === 'accept';
    if (isAccepted || (before?.decision === decision && (before.reason ?? '') === reason)) return [];
    const { well, concentration_m: dose, ...rest } = key;
    return {
      ...rest,
      ...(well === null ? {} : { well }),
      ...(dose === null ? {} : { concentration_m: dose }),
      decision,
      ...(reason === '' ? {} : { reason }),
    };
  });
  if (changed.length === 0)
    throw fail('invalid_request', { reason: 'no decision was changed: choose exclude or repeat in a row.' });
  return changed;
}
