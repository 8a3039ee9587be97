import { describe, expect, it } from 'vitest'
import { decoded, headerRow, jsonl } from '../support/decoded.ts'

const HEAD = jsonl([headerRow(0)])
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

/** A zstd frame with one run-length block: `size` times the byte. */
function run(byte: number, size: number, window = 0x38): Buffer {
  const block = Buffer.alloc(3)
  block.writeUIntLE((size << 3) | 0b011, 0, 3)
  return Buffer.from([...MAGIC, 0, window, ...block, byte])
}

function stored(text: string): Buffer {
  const block = Buffer.alloc(3)
  block.writeUIntLE((Buffer.byteLength(text) << 3) | 1, 0, 3)
  return Buffer.concat([Buffer.from([...MAGIC, 0, 0x68]), block, Buffer.from(text)])
}

describe('hostile bytes', () => {
  it('are refused by name when they begin with a byte order mark', async () => {
    await expect(decoded(`\ufeff${HEAD}`)).rejects.toMatchObject({ code: 'foreign-encoding' })
  })

  it.each(['{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000), `"${'4'.repeat(1_000_000)}"`])('are refused when the version is no number', async (version) => {
    await expect(decoded(`{"type":"session","version":${version},"id":"s","createdAt":1,"delegationDepth":0}\n`))
      .rejects.toMatchObject({ code: 'unsupported-version', message: expect.stringMatching(/^.{1,120}$/s) })
  })

  it('may be a hundred thousand blank lines', async () => {
    const { issues } = await decoded(HEAD + '\n'.repeat(100_000))
    expect(issues.find((i) => i.harness === 'drop-tail')).toMatchObject({ code: 'blank-line', line: 2 })
    expect(issues.at(-1)).toMatchObject({ count: 99_980 })
  })

  it('are not given the memory that a frame asks for', async () => {
    const { issues } = await decoded(Buffer.concat([stored(HEAD), run(0x0a, 1, 0x88)]))
    expect(issues).toMatchObject([{ code: 'bad-frame', text: expect.stringContaining('window') }])
  })

  it('may be frames of a dozen bytes', async () => {
    const { issues } = await decoded(Buffer.concat([stored(HEAD), run(0x0a, 3)]))
    expect(issues).toMatchObject([{ code: 'blank-line' }, { code: 'blank-line' }, { code: 'blank-line' }])
  })

  it('are not unfolded without end', async () => {
    const bomb = run(0x61, 131_072)
    const { issues } = await decoded(Buffer.concat([stored(HEAD), ...Array.from({ length: 4000 }, () => bomb)]))
    expect(issues.filter((i) => i.code === 'bad-frame')).toMatchObject([{ text: expect.stringContaining('unfold') }])
  })
})
