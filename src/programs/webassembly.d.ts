/** The part of the global that the sealed interpreter's memory needs; the types of Node 20 leave it out. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum?: number })
    readonly buffer: ArrayBuffer
  }
}
