// A row of a table for spreadsheets (RFC 4180). The console, which may import nothing from here, has the same rule (`console/csv.ts`).

/** With its line break, and nothing that a spreadsheet would take for a formula: names, and what locks say, come from others. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

function csvField(text: string): string {
  const plain = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
