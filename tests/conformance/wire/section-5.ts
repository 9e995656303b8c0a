import type { WireRule } from './rules.ts';

export const section5: readonly WireRule[] = [
  {
    rule: 'The type of an update is status_change, progress, error, quote, invoice or results; a status change has the previous and the new status.',
    test: {
      file: 'tests/operations/updates.test.ts',
      title:
        'list_updates: an experiment from order to results → types of each topic; a status change has both statuses',
    },
  },
  {
    rule: 'All updates come newest first, those of one experiment oldest first.',
    test: {
      file: 'tests/operations/updates.test.ts',
      title: 'list_updates: all experiments → newest first; one experiment → oldest first',
    },
  },
];
