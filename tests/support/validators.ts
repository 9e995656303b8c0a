/**
 * For validators that a test compiles: they check few values, so they are to be compiled quickly. That our schemas are
 * valid themselves is the subject of `tests/conformance/openapi.test.ts` and `mcp-tools.test.ts`.
 */
export const QUICKLY_COMPILED = { code: { optimize: false }, validateSchema: false } as const;
