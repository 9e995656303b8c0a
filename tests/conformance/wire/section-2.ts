import type { WireRule } from './rules.ts';

export const section2: readonly WireRule[] = [
  {
    rule: 'Known types that the lab does not offer are 422.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'experiment_type_not_offered: a known assay that this lab does not run → 422',
    },
  },
  {
    rule: 'All problems of a request come back in one answer with their paths.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title: 'invalid_experiment: problems in and beside the specification → all in one answer',
    },
  },
  {
    rule: 'Problems of the schema and of the content come back together.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title: 'invalid_experiment: problems of schema and of content → all in one answer',
    },
  },
  {
    rule: 'Method, target, replicates, concentrations, names, letters and metadata are checked by the matrix.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title: '${code}: ${what} → refused with the path of each problem',
    },
  },
  {
    rule: 'A bad amino acid is 422 and names sequence, chain, position and letter.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title:
        'unprocessable_experiment: a letter that is no amino acid → the problem names sequence, chain, position and letter',
    },
  },
  {
    rule: 'Three replicates and the default series stand for what is omitted.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title: 'create_exp: fields are omitted → they have their defaults',
    },
  },
  {
    rule: 'Letters are stored in upper case, and metadata and controls as given.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title:
        'create_exp: lowercase letters, metadata and controls → sequences are uppercased, all else is stored',
    },
  },
  {
    rule: 'Unknown keys beside the specification are tolerated.',
    test: {
      file: 'tests/journeys/lifecycle-validation.test.ts',
      title: 'create_exp: unknown fields beside the specification → tolerated without effect',
    },
  },
  {
    rule: 'An unknown target is 404.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'target_not_found: an unknown target → 404',
    },
  },
  {
    rule: 'A body that is not JSON is 415.',
    test: {
      file: 'tests/matrix/door.test.ts',
      title: 'body_not_json: every operation with a body gets another media type → 415',
    },
  },
  {
    rule: 'More sequences than the limit are a named 422.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'too_many_sequences: more sequences than the limit → 422',
    },
  },
  {
    rule: 'A body beyond the limit is a named 413.',
    test: {
      file: 'tests/matrix/door.test.ts',
      title: 'body_too_large: every operation with a body gets more than the limit → 413',
    },
  },
  {
    rule: 'A requested target makes a request that is linked to the experiment, and the quote is made by staff.',
    test: {
      file: 'tests/journeys/lifecycle.test.ts',
      title:
        'requested_target: an experiment with a custom target → waits for the lab, and the request is kept',
    },
  },
  {
    rule: 'An experiment with a requested target is in the list of target requests.',
    test: {
      file: 'tests/operations/custom-targets.test.ts',
      title:
        'list_custom_target_requests: an experiment asks for an unlisted target → the list holds that request',
    },
  },
  {
    rule: 'auto_accept_quote on a machine rail answers 200 with the confirmation.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'create_exp: auto_accept_quote on a machine rail → the confirmation and an open invoice',
    },
  },
  {
    rule: 'auto_accept_quote without full pricing is 422 and creates nothing.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title:
        'pricing_incomplete: auto_accept_quote without a complete price → refused, and nothing is created',
    },
  },
  {
    rule: 'In PATCH null keeps every field but the target, and updated is false when nothing changed.',
    test: {
      file: 'tests/operations/null-keeps.test.ts',
      title: 'modify_exp: null in every field but the target → nothing changes, and updated is false',
    },
  },
  {
    rule: 'In PATCH a null target_id clears the target.',
    test: {
      file: 'tests/operations/null-keeps.test.ts',
      title: 'modify_exp: null in target_id → the target is cleared, and all else is kept',
    },
  },
  {
    rule: 'After submission only name, description and webhook may change.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title:
        'experiment_not_editable: a change after submission → only name, description and webhook may change',
    },
  },
  {
    rule: 'A closed experiment cannot be changed: 409.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'experiment_closed: a canceled experiment is changed → 409',
    },
  },
  {
    rule: 'Submit takes no body, answers the statuses and the time, and is 409 the second time.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'submit_experiment: a draft → an open quote; a second submission → 409',
    },
  },
  {
    rule: 'Sequences are appended to a draft by its code.',
    test: {
      file: 'tests/operations/sequences.test.ts',
      title: 'add_sequences: a draft → appended in order, and the draft is priced anew',
    },
  },
  {
    rule: 'Metadata of the entries of POST /sequences and PATCH may be any object.',
    test: {
      file: 'tests/operations/sequences.test.ts',
      title:
        'add_sequences, modify_exp: metadata of an entry is any object → kept as given; in the map of create_exp → 400',
    },
  },
  {
    rule: 'An experiment is cloned into a new draft with the same specification and sequences.',
    test: {
      file: 'tests/operations/new-experiments.test.ts',
      title:
        'clone_exp: no body → a draft with the same specification and sequences in their order; the source stays',
    },
  },
  {
    rule: 'A clone takes the fields of PATCH.',
    test: {
      file: 'tests/operations/new-experiments.test.ts',
      title:
        'clone_exp: fields of modify_exp → the copy differs in them alone; null keeps all but the target',
    },
  },
  {
    rule: 'A target that left the catalog is said by the clone.',
    test: {
      file: 'tests/operations/new-experiments.test.ts',
      title:
        'clone_exp: a target that left the catalog → no target, and a warning names it; another target is taken',
    },
  },
  {
    rule: 'A FASTA or CSV body creates an experiment with the answer of create.',
    test: {
      file: 'tests/operations/new-experiments.test.ts',
      title:
        "import_exp: ${media} as ${content === FASTA ? 'FASTA' : 'a table'} → the answer of create_exp, and the sequences in the order of the file",
    },
  },
  {
    rule: 'Every problem of an imported file is named by its line.',
    test: {
      file: 'tests/operations/new-experiments.test.ts',
      title:
        'invalid_experiment: problems of the file and of the query → one answer names each by line or parameter',
    },
  },
  {
    rule: 'Validate says everything that create would say and creates nothing.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title:
        'create_exp: validation, estimate and creation of one specification → the same price and warnings',
    },
  },
  {
    rule: 'Only a draft can be deleted.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'delete_exp: a draft → deleted; a submitted experiment → 409',
    },
  },
  {
    rule: 'A sub-resource of an unknown or foreign experiment is 404, byte-identical.',
    test: {
      file: 'tests/matrix/permissions.test.ts',
      title: 'not found: ${operation.id} for a record of another organization → the same answer as for none',
    },
  },
  {
    rule: 'The lifecycle passes every state in order.',
    test: {
      file: 'tests/journeys/lifecycle.test.ts',
      title: 'lifecycle: a run of the lab → passes every state in order, and the updates name each',
    },
  },
  {
    rule: 'In each state a client may do what the table allows.',
    test: {
      file: 'tests/journeys/lifecycle.test.ts',
      title:
        'lifecycle: a client changes, adds to, submits, deletes and cancels in ${status} → only what this state allows',
    },
  },
  {
    rule: 'skip_draft begins in waiting_for_confirmation, and the open quote may be confirmed there.',
    test: {
      file: 'tests/journeys/lifecycle.test.ts',
      title:
        'skip_draft: the quote is not sent yet → waiting_for_confirmation, and the client may accept it already',
    },
  },
  {
    rule: 'A rejected quote makes the experiment a draft again.',
    test: {
      file: 'tests/journeys/lifecycle.test.ts',
      title:
        'reject_quote: the draft is changed and submitted again → a new quote, and the old one stays canceled',
    },
  },
  {
    rule: 'An expired quote becomes stale and the experiment a draft.',
    test: {
      file: 'tests/journeys/lifecycle.test.ts',
      title: 'quote_expired: a quote passes its date → it becomes stale and the experiment is a draft again',
    },
  },
  {
    rule: 'A run starts when the invoice is paid.',
    test: {
      file: 'tests/journeys/lifecycle.test.ts',
      title: 'lifecycle: the invoice is not paid → the run does not start, and an update says why',
    },
  },
  {
    rule: 'Filters accept either spelling of a status.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'list_experiments: filter by either spelling of a status → the same experiments, newest first',
    },
  },
  {
    rule: 'also_waiting_on names what else is open.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title:
        'also_waiting_on: an unpaid invoice, or a requested target → named beside the next step, and nothing otherwise',
    },
  },
];
