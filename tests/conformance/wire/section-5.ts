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
    rule: 'Every update has a sequence, dense per organization, in the order in which updates become visible; ids sort the same way.',
    test: {
      file: 'tests/operations/updates.test.ts',
      title: 'sequence: updates of an organization → 1, 2, 3 …, and ids in the same order',
    },
  },
  {
    rule: 'Every page of a feed, the last and the empty one included, has a cursor from which nothing later is missed and nothing earlier repeated.',
    test: {
      file: 'tests/operations/updates.test.ts',
      title:
        'next: the feed is read to its end in any order → the last cursor leads to what happens later, once',
    },
  },
  {
    rule: 'Filters of experiment_id take the code too.',
    test: {
      file: 'tests/operations/updates.test.ts',
      title: 'experiment_id: updates are filtered by id, by code and by both → the same updates',
    },
  },
  {
    rule: 'The stream of updates is server-sent events of the same items and filters, and resumes by Last-Event-ID.',
    test: {
      file: 'tests/feed/stream.test.ts',
      title: 'Last-Event-ID: a client comes back after a break → it gets what it missed, once',
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
