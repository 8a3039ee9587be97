/**
 * Parts of arguments and results that differ from run to run although nothing happened: times and dates in any
 * notation, durations, epoch numbers, process ids, uuids, temporary paths, the place of a spilled result.
 * Two texts are the same to a reader iff they are equal without these parts.
 */
const MARK = '*'

const clock = String.raw`(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\b)?`
const zone = String.raw`(?:Z|[ ]?(?:UTC|GMT|[A-Z]{2,3}S?T\b)|[ ]?[+-]\d{2}:?\d{2}(?!\d))?`
const day = String.raw`(?:0?[1-9]|[12]\d|3[01])`
const month = String.raw`(?:0?[1-9]|1[0-2])`
const year = String.raw`(?:19|20)\d\d`
const word = String.raw`\p{L}{3,10}`
/** 1h2m3.4s, as Go and many tools write it. */
const joined = String.raw`(?:\d{1,5}[dhm]){1,3}\d{1,5}(?:[.,]\d{1,9})?(?:ms|[µμu]s|[hms])(?![\p{L}\d])`
const duration = String.raw`(?:${joined}|\d{1,15}(?:[.,]\d{1,9})?(?:(?: ?(?:ns|[µμu]s|ms|msecs?|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|Sekunden?|Minuten?|Stunden?|Tagen?|secondes?|heures?|jours?|segundos?|minutos?|horas?)|[md])(?![\p{L}\d])| ?(?:毫秒|秒|分钟|分|小时|時間|天|초|분|시간)))`

/** A line is searched for the kinds that it can have at all: `needs` costs a tenth of the search. No part spans lines. */
const KINDS: readonly { readonly needs: RegExp; readonly forms: readonly string[] }[] = [
  {
    needs: /\d:[0-5]\d|(?:19|20)\d\d/,
    forms: [
      // Mon Apr 20 21:04:32 UTC 2026 · Apr 20 21:04
      String.raw`(?<!\p{L})(?:${word},? {1,2})?${word}\.? {1,2}${day},? {1,2}${clock}${zone}(?: ${year})?`,
      // 20/Apr/2026:21:04:32 +0000
      String.raw`(?<![\p{L}\d])${day}/\p{L}{3}/${year}[: ]${clock}${zone}`,
      // Mon, 20 Apr 2026 21:04:32 GMT · 20. avril 2026
      String.raw`(?<![\p{L}\d])(?:${word},? {1,2})?${day}(?:st|nd|rd|th|\.)? (?:de )?${word}\.?,? (?:de )?${year}(?!\d)(?:,? {1,2}(?:at )?${clock}${zone})?`,
      // April 20, 2026
      String.raw`(?<!\p{L})${word}\.? {1,2}${day}(?:st|nd|rd|th)?,? {1,2}${year}(?!\d)(?:,? {1,2}(?:at )?${clock}${zone})?`,
    ],
  },
  {
    needs: /-[\da-f]{4}-/i,
    forms: [
      // 3f2504e0-4f89-41d3-9a0c-0305e82c3301
      String.raw`(?<![\p{L}\d])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\p{L}\d])`,
    ],
  },
  {
    needs: /\d/,
    forms: [
      // 2026-04-20T21:04:32.123Z · 2026/04/20 · 20.04.2026, 21:04 · 04/20/26
      String.raw`(?<![\d.\p{L}])(?:${year}([-/.])${month}\1${day}|${day}([-/.])${day}\2${year}|${day}/${day}/\d\d)(?!\d)(?:(?:T|,? {1,2})${clock}${zone})?`,
      // 20260420T210432Z
      String.raw`(?<!\d)20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[T_-]?[0-2]\d[0-5]\d(?:[0-5]\d)?Z?)?(?!\d)`,
      // 2026年4月20日 21时04分
      String.raw`\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]|\d{1,2} ?[时時點点시] ?\d{1,2} ?[分분](?: ?\d{1,2} ?[秒초])?`,
      // 21:04 · 9:04 PM · 21h04 · 21.04 Uhr
      String.raw`(?<![\p{L}\d:.])(?:${clock}${zone}|\d{1,2}h[0-5]\d|\d{1,2}(?:[.:][0-5]\d)? Uhr)(?![\d:])`,
      String.raw`(?<![\p{L}\d.])${duration}(?:(?:,? (?:and )?)?${duration}){0,3}`,
      // seconds, ms, µs or ns since 1970, for the years 2014 to 2033
      String.raw`(?<![\p{L}\d])1[4-9]\d{8}(?:\d{3}){0,3}(?:\.\d{1,9})?(?![\p{L}\d])`,
    ],
  },
  {
    needs: /pid|\[\d{3,}\]:/i,
    forms: [
      // pid 4121 · sshd[4121]:
      String.raw`(?<!\p{L})p?pids?["']?[ =:#]{0,3}\d+|(?<=\p{L})\[\d{3,}\](?=:)`,
    ],
  },
  {
    needs: /duration|elapsed|uptime/i,
    forms: [
      // duration_ms 12.3 · "elapsed": 4
      String.raw`(?<!\p{L})(?:duration|elapsed|uptime)[a-z_]{0,12}["']?[ =:]{1,3}\d+(?:[.:]\d+){0,3}`,
    ],
  },
  {
    needs: /stored at: /i,
    forms: [
      // where the harness stored a result that was too long
      String.raw`(?<=Full formatted result stored at: )[^\n]*`,
    ],
  },
]
/** By the bits of the kinds in it. */
const searches: RegExp[] = []

const TEMP_PATH = /((?:\/private)?\/(?:var\/)?tmp|\/var\/folders\/[^/\s]+\/[^/\s]+\/T|\/dev\/shm|[A-Za-z]:(?:\\[^\\\s"']+){1,6}\\Temp)((?:[/\\][\w.@~+-]+)+)/g

/** `tmp…`, anything with a digit, or a last part in mixed case: names that mkdtemp and test runners make up. */
const MADE_UP = /^\.?tmp|\d|[-._](?=\w{0,80}[a-z])(?=\w{0,80}[A-Z])\w{6,80}$/

function tempPath(path: string, root: string, rest: string): string {
  const separator = rest.startsWith('\\') ? '\\' : '/'
  const [, first = '', second, ...others] = rest.split(/[/\\]+/)
  if (!MADE_UP.test(first)) return path
  const tail = second === undefined ? [] : [/\d$/.test(second) ? MARK : second, ...others]
  return [root, MARK, ...tail].join(separator)
}

/** A date without a time of day. */
const BARE_DATE = /^(?:(?:19|20)\d\d([-/.]?)\d\d?\1\d\d?|\d\d?[-/.]\d\d?[-/.](?:19|20)?\d\d|\d{4} ?[年년][^일日]*[日일])$/

/** The text without its volatile parts. */
export function withoutVolatile(text: string): string {
  return steady(text, () => MARK)
}

/**
 * What was asked for, without its volatile parts. A date that stands alone stays: it names a log, a backup, a day of the
 * data, and not the time of the call.
 */
export function withoutVolatileButDates(text: string): string {
  return steady(text, (part) => (BARE_DATE.test(part) ? part : MARK))
}

function steady(text: string, mark: (part: string) => string): string {
  if (!/\d|tmp|Temp/.test(text)) return text
  return text.split('\n').map((line) => steadyLine(line, mark)).join('\n')
}

function steadyLine(line: string, mark: (part: string) => string): string {
  const named = /tmp|folders|shm|Temp/.test(line) ? line.replace(TEMP_PATH, tempPath) : line
  let kinds = 0
  KINDS.forEach(({ needs }, i) => { if (needs.test(named)) kinds |= 1 << i })
  return kinds === 0 ? named : named.replace(searches[kinds] ??= searchFor(kinds), mark)
}

function searchFor(kinds: number): RegExp {
  return new RegExp(KINDS.flatMap(({ forms }, i) => ((kinds & (1 << i)) === 0 ? [] : forms)).join('|'), 'giu')
}

/** The text without the number of the round it stands in, where that number stands alone (`5`, `#5`, `5/20`; not `part-5.md`). */
export function withoutRound(text: string, round: number): string {
  const number = String(round)
  return text.includes(number) ? text.replace(/(?<![\w./\\-])\d+(?![\w\\-]|\.\w|\/\D)/g, (n) => (n === number ? MARK : n)) : text
}

/** Stands for the number that is looked for: a pattern of its own for every number would take longer to compile than to run. */
const NUMBER = '\0'
/** What a round is called, where a number stands beside the word. */
const ROUND_WORD = String.raw`rounds?|rund[ea]|rond[ea]|rodada|tour|раунд\p{L}*|ラウンド|라운드|回合|[轮輪]`
const NAMED_ROUND = new RegExp(String.raw`(?<!\p{L})(?:${ROUND_WORD})["']?[ :=#_-]{0,3}\0|\0\.? ?(?:${ROUND_WORD})(?!\p{L})`, 'giu')

/** The text without the number of the round it stands in, where the number is called one (`round 5`, `"round":5`, `第5轮`). */
export function withoutNamedRound(text: string, round: number): string {
  const number = String(round)
  if (!text.includes(number)) return text
  return text.replace(/\d+/g, (n) => (n === number ? NUMBER : n)).replace(NAMED_ROUND, MARK).replaceAll(NUMBER, number)
}
