import type { Report } from '../report/schema.ts'
import type { Trace } from '../report/trace.ts'

/**
 * Escape sequences: string kinds (OSC, DCS, SOS, PM, APC) up to their terminator, CSI with its parameters, two-character
 * ones, and a lone ESC. String bodies exclude every introducer, so that a run of unterminated ones costs linear time.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ESCAPES = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g
const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g
const CONTROLS = /(?![\n\t])\p{Cc}/gu
/** Bidi marks, embeddings, overrides and isolates, and tag characters: text that looks other than it reads. */
const DECEPTIVE = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** Text from a log made safe for a terminal or a page: well-formed, no escapes or controls but `\n` and `\t`, bidi controls spelled out. */
export function cleanText(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(LINE_ENDS, '\n')
    .replace(CONTROLS, '')
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(DECEPTIVE, (c) => `<U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`)
}

/** A report or trace with every string value cleaned. Reporters for people start with it, so that no field can be forgotten. */
export function cleaned<T extends Report | Trace>(data: T): T {
  return JSON.parse(JSON.stringify(data, (_, value: unknown) => (typeof value === 'string' ? cleanText(value) : value)))
}

/** JSON text without raw C1 or bidi controls: they are written as `\uXXXX`, so no value changes. */
export function cleanJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
