// Records and answers made up from openapi.json, so that a test of a form names the schema of its record and no more. The
// same schema always gives the same record: texts are their own names, numbers are 7, words are the first of their enum.
import { readFileSync } from 'node:fs';
import type { Schemas } from '@/api/client';

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  allOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
}

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const openapi: OpenApi = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** Deeper records are empty: some schemas hold themselves. */
const DEEPEST = 6;

/** A record of a schema of the contract. */
export function sample<Name extends keyof Schemas>(name: Name): Schemas[Name] {
  return made({ $ref: `#/components/schemas/${name}` }, name, 0) as Schemas[Name];
}

/** What an endpoint answers to a call that it does not refuse; null where the contract has no such endpoint. */
export function answerOf(method: string, path: string): unknown {
  const parts = path.split('/');
  const isHere = (template: string) => {
    const own = template.split('/');
    return own.length === parts.length && own.every((part, at) => part.startsWith('{') || part === parts[at]);
  };
  const paths = Object.keys(openapi.paths);
  const template = paths.includes(path) ? path : paths.find(isHere);
  const operation = template && openapi.paths[template]?.[method.toLowerCase()];
  const content = operation && (operation.responses['200'] ?? operation.responses['201'])?.content;
  return content ? made(content['application/json']?.schema ?? {}, 'answer', 0) : null;
}

function made(schema: Schema, name: string, depth: number): unknown {
  if (schema.$ref) {
    const target = openapi.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
    return target && made(target, name, depth);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return schema.examples[0];
  const [alternative] = schema.oneOf ?? [];
  if (alternative) return made(alternative, name, depth);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => made(part, name, depth)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return 7;
  if (type === 'boolean') return true;
  if (type === 'array') return depth < DEEPEST && schema.items ? [made(schema.items, name, depth + 1)] : [];
  if (type === 'object' || schema.properties) return objectOf(schema, depth);
  return name;
}

function objectOf({ properties = {}, additionalProperties }: Schema, depth: number): unknown {
  const fields = Object.entries(properties).map(([name, schema]) => [name, made(schema, name, depth + 1)]);
  const more = typeof additionalProperties === 'object' && additionalProperties.type === 'object';
  return Object.fromEntries(more ? [...fields, ['en', { name: 'Name' }]] : fields);
}
