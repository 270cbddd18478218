/** The value of a message; undefined when it is no JSON, which the devices do not mind. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
