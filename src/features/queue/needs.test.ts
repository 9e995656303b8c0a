import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { experimentStatuses, getTurn, invoiceStatuses } from '#core/lifecycle.ts';
import type { ExperimentStatus, InvoiceStatus } from '#core/lifecycle.ts';
import { getNeedCondition, needKinds } from './needs.ts';
import type { NeedKind, OrderFact } from './needs.ts';

interface Order {
  readonly status: ExperimentStatus;
  readonly invoiceStatus: InvoiceStatus | null;
  readonly facts: readonly OrderFact[];
}

function selectKinds({ status, invoiceStatus, facts }: Order): NeedKind[] {
  return needKinds.filter((kind) => {
    const when = getNeedCondition(kind);
    return (
      (when.status?.includes(status) ?? true) &&
      (when.invoice?.includes(invoiceStatus) ?? true) &&
      (when.is === undefined || facts.includes(when.is)) &&
      (when.isNot === undefined || !facts.includes(when.isNot))
    );
  });
}

/** An open invoice waits for its client: staff watch it, and do nothing else. */
const WATCHED: ReadonlySet<NeedKind> = new Set(['unpaid_invoice', 'overdue_invoice']);

const orders = experimentStatuses.flatMap((status) =>
  [...invoiceStatuses, null].map((invoiceStatus) => ({ status, invoiceStatus, facts: [] })),
);

describe('needs beside the turns of an order', () => {
  for (const order of orders) {
    const { status, invoiceStatus } = order;
    const isTurnOfLab = getTurn(status, invoiceStatus).actor === 'lab';
    const name = `${status}, invoice ${invoiceStatus ?? 'none'}`;
    if (isTurnOfLab)
      test(`needs: ${name} → the lab has something to see to`, () =>
        assert.ok(selectKinds(order).some((kind) => !WATCHED.has(kind))));
    else if (invoiceStatus !== 'draft')
      test(`needs: ${name} → nothing but an invoice to watch`, () =>
        assert.deepEqual(
          selectKinds(order).filter((kind) => !WATCHED.has(kind)),
          [],
        ));
  }

  test('needs: an open invoice → overdue or unpaid, never both', () => {
    const order = { status: 'done', invoiceStatus: 'open' } as const;
    assert.deepEqual(selectKinds({ ...order, facts: [] }), ['unpaid_invoice']);
    assert.deepEqual(selectKinds({ ...order, facts: ['overdue'] }), ['overdue_invoice']);
  });
});
