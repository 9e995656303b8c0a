import type { WireRule } from './rules.ts';

export const section8: readonly WireRule[] = [
  {
    rule: 'The tool protocol is served at /mcp/, and at the address without the slash as well.',
    test: {
      file: 'tests/conformance/mcp-door.test.ts',
      title: 'address: without its slash → answered at once, for every kind of client',
    },
  },
  {
    rule: 'There is one tool for each operation, named by its id, for each generation of clients.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: '${kind} client: the list of tools → every permitted operation, and an empty list of resources',
    },
  },
  {
    rule: 'Operations have the ids of the contract at the paths of the contract.',
    test: {
      file: 'tests/conformance/openapi.test.ts',
      title: 'contract: ${id} → is served at the path of the contract with its statuses',
    },
  },
  {
    rule: 'Path, query and body of an operation are one flat object of arguments, from target to results.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: '${kind} client: an order by tools alone → goes from the target to the results',
    },
  },
  {
    rule: 'The answer of a tool is the body of REST, as text and as structured content.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'structured content: any answer of a tool → equals the JSON of its text and the body of REST',
    },
  },
  {
    rule: 'A failed tool answers the code, the sentence and the problems of REST.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'errors: a tool fails → the code, the sentence and the problems of REST',
    },
  },
  {
    rule: 'A tool needs the permission of its operation: it is not listed without, and refuses as REST does.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title:
        'permission_denied: a viewer → sees no writing tool but attenuate_token and update_notifications, and a hidden one answers as REST does',
    },
  },
  {
    rule: 'A header of the contract is an argument of the tool and acts as the header of REST.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'payment_method: the argument of a tool → acts as the header of REST',
    },
  },
  {
    rule: 'An idempotency key counts for tools and REST alike.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'idempotency_key: a tool and REST send the same key → one effect and one answer',
    },
  },
  {
    rule: 'Each tool with arguments publishes an example that its own schema accepts.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'examples: every tool with arguments → publishes one that its own schema accepts',
    },
  },
  {
    rule: 'The example of a tool works against the sandbox, once its ids exist.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'examples: every tool, with its example and ids that exist → does what it says',
    },
  },
  {
    rule: 'The example of a filter fits the list that it describes.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'examples: the filter in the description of each list, and in its example → the list takes it',
    },
  },
  {
    rule: 'A tool reads JSON that arrives as text, and a note says so.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'JSON text: an object or a list that arrives as text → is read as JSON, and a note says so',
    },
  },
  {
    rule: 'Arguments without their wrapper are refused with the place where they belong.',
    test: {
      file: 'tests/conformance/mcp-tools.test.ts',
      title: 'wrapper: arguments without their wrapper, or within one too many → each says where it belongs',
    },
  },
  {
    rule: 'An agent that knows only the tools orders, pays in the sandbox and reads results.',
    test: {
      file: 'tests/conformance/mcp-agent.test.ts',
      title:
        'agent: a goal, the instructions and the list of tools → orders, pays in the sandbox and reads results',
    },
  },
];
