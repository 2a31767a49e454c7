import openapiTS, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';

import description from '../../../openapi.json?raw';
import schema from './schema.d.ts?raw';

it('holds the types that the description of the server gives', async () => {
  const generated = astToString(await openapiTS(JSON.parse(description)));
  // The command line writes its own notice above.
  const written = schema.slice(schema.indexOf('export interface paths'));
  expect(generated.trim() === written.trim(), 'run `just openapi`: schema.d.ts is not of this openapi.json').toBe(true);
});
