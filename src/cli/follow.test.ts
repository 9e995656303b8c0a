import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTurn, type Experiment } from './follow.ts';

const waitingOn = { actor: 'lab', awaiting: 'the lab dries the plates' } as const;

/** As a service answers it, whose statuses may be newer than this program. */
function createExperiment(status: string): Experiment {
  const experiment = { status, waiting_on: waitingOn, costs: null };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is read of an experiment that a service answered
  return experiment as unknown as Experiment;
}

test('assayer watch: a status that this program does not know → what the service awaits, in its own words', () => {
  assert.equal(formatTurn(createExperiment('drying')), 'the lab dries the plates');
});

test('assayer watch: a known status → whose turn it is', () => {
  assert.equal(formatTurn(createExperiment('draft')), 'your turn: you submit the experiment');
});
