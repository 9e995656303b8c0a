import assert from 'node:assert/strict';
import { test } from 'node:test';
import { experimentStatuses, getTurn, describeTurn } from '#core/lifecycle.ts';
import { getExperimentTurn } from './turn.ts';

const invoiceStatuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;

test('waiting_on: the turn that a client finds from the record → the words of the record', () => {
  for (const status of experimentStatuses) {
    assert.deepEqual(
      describeTurn(getExperimentTurn({ status, costs: null })),
      describeTurn(getTurn(status, null)),
    );
    for (const invoice of invoiceStatuses) {
      const costs = {
        type: 'invoiced',
        amount_cents: 1,
        currency: 'usd',
        status: invoice,
        provider_invoice_url: null,
      } as const;
      assert.deepEqual(
        getExperimentTurn({ status, costs }),
        getTurn(status, invoice),
        `${status}, ${invoice}`,
      );
    }
  }
});

test('waiting_on: an action, an event, an end → the actor, the event alone, nothing', () => {
  assert.deepEqual(describeTurn(getTurn('draft', null)), {
    actor: 'client',
    awaiting: 'you submit the experiment',
  });
  assert.deepEqual(describeTurn(getTurn('waiting_for_confirmation', null)), {
    actor: 'lab',
    awaiting: 'the lab prepares a quote',
  });
  assert.deepEqual(describeTurn(getTurn('in_production', null)), {
    actor: 'lab',
    awaiting: 'the assay runs',
  });
  assert.deepEqual(describeTurn(getTurn('done', 'paid')), {
    actor: null,
    awaiting: 'nothing: results are released',
  });
});
