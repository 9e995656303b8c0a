/** `/lab/experiments/{id}/sequences`: read on demand, because the client's audit trail records who reads them. */
import type { FastifyReply } from 'fastify';
import { formatCount } from '#core/counts.ts';
import type { Output } from '#core/operation.ts';
import { getLabSequences } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, PLAIN_TEXT, sendAttachment } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { toSentenceCase } from '#ui/words.ts';
import { renderTable, type Column } from '#ui/list.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';

type Read = Output<typeof getLabSequences>;
type Sequence = Read['sequences'][number];

const COLUMNS: readonly Column<Sequence>[] = [
  {
    head: 'Name',
    render: ({ name, is_control: isControl }) =>
      markup`<bdi>${name}</bdi>${isControl && markup`<span class="sub">control</span>`}`,
  },
  { head: 'Length', isNumber: true, render: ({ length }) => length.toLocaleString('en-US') },
  { head: 'Amino acids', render: ({ aa_string: text }) => markup`<code class="copy">${text}</code>` },
];

function readParameters({ request }: PortalContext): { readonly experiment_id: string } {
  return { experiment_id: getPathParameter(request, 'id') };
}

export async function loadSequencesPage(context: PortalContext): Promise<PageContent> {
  const page = await context.api.call(getLabSequences, { params: readParameters(context) });
  const { experiment_code: code, sequences } = page;
  const path = `/lab/experiments/${code}`;
  const body = markup`${renderLabHead('Sequences', {
    above: [path, code],
    over: markup`<span class="mono">${code}</span>`,
    side: markup`<a class="button" href="${path}/sequences.fasta" download>FASTA</a>`,
  })}
<p class="hint lab-hint">The audit trail of the client records that you opened these sequences.</p>
${renderWarnings(page)}
<section class="card flush" aria-label="Sequences">${renderTable(COLUMNS, sequences)}<p class="pager">${formatCount(sequences.length, 'sequence')}</p></section>`;
  return { title: `Sequences of ${code}`, body };
}

function renderWarnings({ warning_groups: groups }: Read): Markup | null {
  if (groups.length === 0) return null;
  return markup`<section class="card lab-hint" aria-labelledby="warnings"><h2 id="warnings">What may be hard to express</h2><ul class="flag-list">${groups.map((group) => renderWarning(group))}</ul></section>`;
}

function renderWarning({ rule, count, examples }: Read['warning_groups'][number]): Markup {
  const more = count - examples.length;
  return markup`<li class="warn"><strong>${toSentenceCase(rule)}</strong>${examples.map(
    ({ sequence, message }) =>
      markup`<span class="sub">${sequence !== null && markup`<bdi>${sequence}</bdi>: `}${message}</span>`,
  )}${more > 0 && markup`<span class="sub">and ${more} more</span>`}</li>`;
}

export async function sendLabFasta(context: PortalContext): Promise<FastifyReply> {
  const { experiment_code: code, fasta } = await context.api.call(getLabSequences, {
    params: readParameters(context),
  });
  return sendAttachment(context.reply, {
    fileName: `${code}.fasta`,
    contentType: PLAIN_TEXT,
    content: fasta,
  });
}
