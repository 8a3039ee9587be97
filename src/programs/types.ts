/** What goes into the analysis of one `run_code` program and what comes out. Plain data: this room knows no log. */

export type Language = 'typescript' | 'python'

export interface ProgramInput {
  readonly code: string
  readonly language: Language
  /** Nested calls in submission order. */
  readonly calls: readonly NestedCall[]
  /** Result of the `run_code` call as first appended (not pruned); null: none. */
  readonly outer: ResultText | null
}

export interface ResultText {
  readonly isError: boolean
  /** Without the spill note at its end. */
  readonly text: string
  /** From the spill note: bytes missing between the head and the tail that `text` joins without a seam; absent or 0: nothing is missing. */
  readonly omittedBytes?: number
}

export interface NestedCall {
  readonly subCallId: string
  /** Submission number: the `n` at the end of the sub call id, from 1; gaps are legal. */
  readonly number: number
  readonly tool: string
  /** Parsed JSON. */
  readonly arguments: unknown
  /** The receipt; null: never settled. */
  readonly result: ResultText | null
}

export interface ProgramVerdict {
  /** `line` counts from 1 in the program text. */
  readonly parse: { readonly ok: true } | { readonly ok: false; readonly message: string; readonly line: number }
  /** Valid: a sealed run with the recorded receipts made the recorded calls and gave the recorded outer text. */
  readonly replay: { readonly valid: true; /** The complete outer text, also when the recorded one was cut by a spill. */ readonly outerText: string } | { readonly valid: false; readonly because: string }
  /** Text that every run returns whatever was answered (a program with one constant return), else null. */
  readonly constantReturn: string | null
  /** Every element of `questions[]` of every nested `ask_user_question`, in submission order. */
  readonly items: readonly ItemVerdict[]
}

export interface ItemVerdict {
  readonly subCallId: string
  /** Position in `questions[]`, from 0. */
  readonly index: number
  /** Null: the program does not parse, or no call of the tool is found in it. */
  readonly flow: ItemFlow | null
  /** Null: replay is void, this item has no answer to vary (failed call, window over, skipped), or the runs do not tell. */
  readonly replay: ItemReplay | null
  /** Null: nothing to fix, or no safe change is known. */
  readonly fix: Fix | null
}

/**
 * How far the awaited value can get, read from the program text alone.
 * Reach is over-approximated: `none` everywhere means that nothing can depend on the answer; `value` only that it may.
 */
export interface ItemFlow {
  /** The call site; null when several sites may have asked this question (then the reach is their union). */
  readonly site: { readonly line: number; readonly text: string } | null
  /** True: the promise is never awaited, returned or passed on. */
  readonly floating: boolean
  readonly selected: Reach
  readonly custom: Reach
}

/** `value`: the data itself or something computed from it; `choice`: only through a condition, a loop or an early exit. */
export type How = 'none' | 'choice' | 'value'

export interface Reach {
  readonly returns: How
  /** console.*, process.stdout/stderr.write, print. */
  readonly logs: How
  readonly throws: How
  /** Later nested calls, one entry per call site. */
  readonly calls: readonly { readonly tool: string; readonly line: number; readonly how: 'choice' | 'value' }[]
}

/** What other answers to this one item changed. */
export interface ItemReplay {
  /** The fate in the own outer result by the definitions of the README; `delivered` and `partial` also when the run failed. */
  readonly fate: 'delivered' | 'partial' | 'derived' | 'consumed' | 'dropped'
  readonly outerDepends: boolean
  /** Tool, arguments, number or order of the other nested calls change. */
  readonly callsDepend: boolean
  /** Per value (selected labels in order, then the custom text): it stands in the outer text because of the answer. */
  readonly valuesLiteral: readonly boolean[]
  /** The outer text depends on the answer only when it is of another kind (free text instead of a label, nothing selected). */
  readonly outerDependsOnKind: boolean
  /** The same for the nested calls. */
  readonly callsDependOnKind: boolean
  /** The value stands there only because the program chooses between texts of its own that contain it. */
  readonly fixedTexts: boolean
  /** Other answers led to calls that are not in the log; their results were invented, so the outer text is a likely one. */
  readonly assumedResults: boolean
  /** Runs with another answer. */
  readonly runs: number
}

export interface Fix {
  /** Line of the program text, from 1. */
  readonly line: number
  readonly before: string
  readonly after: string
  /** `replayed`: the changed program was run and its outer text has every value; `parsed`: it parses. */
  readonly verified: 'replayed' | 'parsed'
}

export interface ProgramAnalyser {
  /** Never rejects because of the program; serialise calls or not, results are the same. */
  analyse(input: ProgramInput): Promise<ProgramVerdict>
  /** Gives back the memory of a worker thread that has nothing to do. It starts again when it is needed. */
  rest(): Promise<void>
  /** Stops the worker thread. */
  close(): Promise<void>
}
