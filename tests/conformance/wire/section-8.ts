import type { WireRule } from './rules.ts';

export const section8: readonly WireRule[] = [
  {
    rule: 'The tool protocol without its trailing slash answers 308 to the address with it.',
    test: {
      file: 'tests/conformance/mcp-door.test.ts',
      title: 'redirect: the address without its slash → 308, and method, body and credential are kept',
    },
  },
];
