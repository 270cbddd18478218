// Downloads a text or a file.

/** Offers a text (CSV) to the person as a download. */
export function saveAs(name: string, text: string): void {
  saveFile(name, new Blob([text], { type: 'text/csv' }));
}

/** Offers a file to the person as a download. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
