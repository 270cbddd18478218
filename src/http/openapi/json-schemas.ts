// Turns the zod schemas that validate into JSON Schema, as a client must read it.
import { z } from 'zod';
import { type EventSchemaName, eventSchemas } from '../api/event-schemas.ts';
import { type ResponseName, responseSchemas } from '../api/response-schemas.ts';
import { memberDocs } from './field-descriptions.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The schema of one parameter, and whether it is required. Digits of a query string are documented as the integer they stand for. */
export function parameterSchema(schema: z.ZodType): { readonly required: boolean; readonly schema: JsonSchema } {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (def.type === 'default')
    return { required: false, schema: { ...jsonSchema(sent(def.innerType)), default: def.defaultValue as never } };
  if (def.type === 'optional') return { required: false, schema: jsonSchema(sent(def.innerType)) };
  return { required: true, schema: jsonSchema(sent(schema)) };
}

/** The schema of a body. */
export function bodySchema(object: z.ZodObject): JsonSchema {
  return described(jsonSchema(object));
}

/** The schema of every answer by its name; an answer that is part of another appears there as a reference. */
export function responseJsonSchemas(): Readonly<Record<ResponseName | EventSchemaName, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...responseSchemas, ...eventSchemas })) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, described(bare(schema))])) as Record<
    ResponseName | EventSchemaName,
    JsonSchema
  >;
}

/**
 * The schema of the value that a client sends. For digits that become a number it is the number's; for other transformations the input's.
 */
function sent(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type !== 'pipe') return schema;
  return def.out._zod.def.type === 'transform' ? sent(def.in) : def.out;
}

function jsonSchema(schema: z.core.$ZodType): JsonSchema {
  return bare(z.toJSONSchema(schema, { io: 'input' }));
}

function bare({ $schema: _, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Adds the description of each member. */
function described(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, oneOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [
          name,
          { ...(memberDocs[name] !== undefined && { description: memberDocs[name] }), ...described(member as JsonSchema) },
        ]),
      ),
    }),
    ...(items !== undefined && !Array.isArray(items) && { items: described(items as JsonSchema) }),
    ...(anyOf && { anyOf: anyOf.map((one) => described(one as JsonSchema)) }),
    ...(oneOf && { oneOf: oneOf.map((one) => described(one as JsonSchema)) }),
  };
}
