import type { WireRule } from './rules.ts';

export const section4Targets: readonly WireRule[] = [
  {
    rule: 'Two feedbacks about one request, by UUID or req_ id, are two.',
    test: {
      file: 'tests/operations/feedback.test.ts',
      title: 'submit_feedback: two feedbacks about one request → two references, and both are kept',
    },
  },
  {
    rule: 'Only an equal body is a repeat.',
    test: {
      file: 'tests/operations/feedback.test.ts',
      title:
        'submit_feedback: an equal body is sent again, with other case, order and nulls → the same reference',
    },
  },
  {
    rule: 'Feedback without content is 400.',
    test: {
      file: 'tests/operations/feedback.test.ts',
      title: 'submit_feedback: no title, note or data, or empty ones → 400; one of them → 201',
    },
  },
  {
    rule: 'A custom target needs a sequence, a PDB id or a PDB file.',
    test: {
      file: 'tests/operations/targets.test.ts',
      title:
        'create_custom_target_request: no sequence and no structure, or empty ones → 400 names sequence; any one of them → 201',
    },
  },
  {
    rule: 'pdb_file is text or base64.',
    test: {
      file: 'tests/operations/targets.test.ts',
      title:
        'create_custom_target_request: pdb_file in base64, in one line or several → read back as text; other bytes → 400',
    },
  },
  {
    rule: 'A product that the organization requested before is 400.',
    test: {
      file: 'tests/operations/targets.test.ts',
      title:
        'create_custom_target_request: a product that the organization requested before, also eight at once → 400; another organization may',
    },
  },
  {
    rule: 'health-db answers connected, or 503 unreachable.',
    test: {
      file: 'tests/operations/info.test.ts',
      title:
        'health_db: a write found the disk full → degraded, 200; no token → 401; the database is closed → 503, while health stays 200',
    },
  },
  {
    rule: 'A structure is its coordinates file, ncbi_id a protein accession, and products has one object.',
    test: {
      file: 'tests/operations/targets.test.ts',
      title:
        'get_target_info: a target of the catalog → coordinates, a protein accession, the taxonomy id and its product',
    },
  },
  {
    rule: 'sort=purity works.',
    test: {
      file: 'tests/operations/targets.test.ts',
      title:
        'list_targets: sort by purity in every spelling → purest first or last, and unknown purities last',
    },
  },
  {
    rule: 'materials_unavailable.target_id is a string always, the id of the request for a requested target.',
    test: {
      file: 'tests/operations/new-experiments.test.ts',
      title:
        'clone_exp: a requested target → the copy requests it too, and its estimate names the new request',
    },
  },
  {
    rule: 'HEAD answers like GET without a body.',
    test: {
      file: 'tests/matrix/head.test.ts',
      title:
        'HEAD: ${operation.id} with a token, without one, and for nothing → as GET answers, without a body',
    },
  },
  {
    rule: 'HEAD of pages answers like GET.',
    test: {
      file: 'tests/matrix/head.test.ts',
      title: 'HEAD: pages, documents and addresses without a route → as GET answers, without a body',
    },
  },
  {
    rule: 'search works on every list.',
    test: {
      file: 'tests/lists/fields.test.ts',
      title: '${list.id}: search → finds names in any case and takes every character literally',
    },
  },
];
