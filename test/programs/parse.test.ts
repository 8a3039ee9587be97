import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseProgram } from '../../src/programs/parse.ts'

const erased = (code: string): string => {
  const parsed = parseProgram(code)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.javascript
}
const squeezed = (code: string): string => erased(code).replace(/\s+/g, ' ').trim()

describe('type erasure', () => {
  it.each([
    ['interface A { x: string }\nlet a: A = b', 'let a = b'],
    ['const f = <T,>(t: T, ...k: (keyof T)[]): Pick<T, keyof T> => t as any', 'const f = (t , ...k ) => t'],
    ['const z = ((y as any) as string).length', 'const z = ((y ) ).length'],
    ['class P<T> extends Map<string, T> implements A, B { private readonly x: string = "a"; y!: number; z?: string; declare q: number; static s: number = 1 }',
      'class P extends Map { x = "a"; y ; z ; static s = 1 }'],
    ['abstract class C { abstract foo(): void; protected async m<T>(a?: T): Promise<T> { return a! } }', 'class C { async m (a ) { return a } }'],
    ['function h(a: string): void; function h(a: any) { return a!.b }', 'function h(a ) { return a .b }'],
    ['function g(this: A, x?: string): asserts x is string {}', 'function g( x ) {}'],
    ['declare const t: { never: 1 }; return [1] satisfies number[]', 'return [1]'],
    ['const m = new Map<string, string[]>(); let v!: string; return a < b', 'const m = new Map (); let v ; return a < b'],
  ])('%s', (code, expected) => {
    expect(squeezed(code)).toBe(expected)
  })

  it('keeps every offset and line', () => {
    const code = 'type A =\n  | string\n  | number\nconst x: A = 1\nreturn x'
    const javascript = erased(code)
    expect(javascript).toHaveLength(code.length)
    expect(javascript.indexOf('return')).toBe(code.indexOf('return'))
    expect(javascript.split('\n')).toHaveLength(5)
  })

  it.each(['enum A { x }', 'class P { constructor(private x: string) {} }', 'namespace N { export const a = 1 }'])('refuses what needs a transformation: %s', (code) => {
    expect(parseProgram(code)).toMatchObject({ ok: false, line: 1 })
  })
})

describe('programs that do not parse', () => {
  it('names the line', () => {
    expect(parseProgram('const a = 1\nconst b = ;')).toMatchObject({ ok: false, line: 2 })
  })

  it('refuses endless nesting without overflowing', () => {
    expect(parseProgram(`return ${'['.repeat(50_000)}`)).toMatchObject({ ok: false })
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.array(fc.constantFrom('const', 'a', '=', '{', '}', '(', ')', ':', 'as', '<', '>', '=>', 'class', '`', '${', 'await', '\n')).map((parts) => parts.join(' '))), (code) => {
      expect(typeof parseProgram(code).ok).toBe('boolean')
    }))
  })
})
