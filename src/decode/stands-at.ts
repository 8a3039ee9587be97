/** Whether `text` stands at `at`. It has no line break, so it is not found beyond the end of a row. Mostly the first few bytes tell: a call into the runtime takes longer. */
export function standsAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text[i]) return false
  return true
}
