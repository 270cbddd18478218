// A row of a table for spreadsheets (RFC 4180). The console, which may import nothing from here, has the same rule (`console/csv.ts`).

/** The row with its line break. No field can act as a spreadsheet formula, because names and the reports of locks come from others. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

function csvField(text: string): string {
  const plain = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
