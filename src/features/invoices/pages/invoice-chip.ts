import { markup, type Markup } from '#ui/markup.ts';

type Status = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

const CHIPS: Readonly<Record<Status, readonly [tone: string, word: string]>> = {
  draft: ['idle', 'Draft'],
  open: ['yours', 'To be paid'],
  paid: ['good', 'Paid'],
  void: ['idle', 'Void'],
  uncollectible: ['attention', 'Closed'],
};

/** Renders the status of an invoice; an open one past its due date is overdue. */
export function renderInvoiceChip(
  { status, due_date: due }: { readonly status: Status; readonly due_date: string | null },
  now: Date,
): Markup {
  const isLate = status === 'open' && due !== null && Date.parse(due) < now.getTime();
  const [tone, word] = isLate ? ['attention', 'Overdue'] : CHIPS[status];
  return markup`<span class="chip ${tone}">${word}</span>`;
}
