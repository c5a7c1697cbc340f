// Where answers come from: a server, or, in a page that is a file, what was put into it.

export class Failure extends Error {}

class Server {
  live = true;

  async start() {
    return this.get("page/start");
  }

  async get(path) {
    return answered(await fetch(path, { headers: { Accept: "application/json" } }).catch(unreachable));
  }

  async post(path, body) {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    return answered(await fetch(path, request).catch(unreachable));
  }

  index(file) { return this.get(`page/files/${file}/index`); }
  sentence(file, number) { return this.get(`page/files/${file}/sentences/${number}`); }
  errors(file) { return this.get(`page/files/${file}/errors`); }
  cell(file, name) { return this.get(`page/files/${file}/cells/${encodeURIComponent(name)}`); }
  reliability(file) { return this.get(`page/files/${file}/reliability`); }
  bin(file, number) { return this.get(`page/files/${file}/bins/${number}`); }
  drawn(request) { return this.post("page/drawn", request); }
  kbest(request) { return this.post("v1/kbest", request); }
  step(request) { return this.post("v1/step", request); }

  async open(name, blob) {
    const request = { method: "POST", headers: { "Content-Type": "text/x-conllu" }, body: blob };
    return answered(await fetch(`page/files?name=${encodeURIComponent(name)}`, request).catch(unreachable));
  }
}

function unreachable() {
  throw new Failure("The server does not answer: it may have been stopped.");
}

async function answered(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failure(body.detail || `The server answers ${response.status}.`);
  return body;
}

class InFile {
  live = false;

  constructor(data) {
    this.data = data;
  }

  async start() { return this.data.start; }
  async index() { return this.data.index; }
  async sentence(_, number) { return this.data.sentences[number]; }
  async errors() { return this.data.errors ?? refuse("There is no gold standard in this page."); }
  async cell(_, name) { return this.data.cells[name] ?? { name, meaning: "", spots: [] }; }
  async reliability() { return this.data.reliability ?? refuse("The trees of this page have no probabilities."); }
  async bin(_, number) { return this.data.bins[number]; }
  async drawn() { return refuse("This page is a file and cannot parse: run dynarc serve."); }
  async kbest() { return refuse("This page is a file and cannot parse: run dynarc serve."); }

  async step({ number, system, history }) {
    const of = this.data.steps[number]?.[system];
    if (!of) refuse("The derivations of this sentence are not in this file. To play any sentence: dynarc view FILE --page");
    const found = of[history.join(" ")];
    return found ?? refuse("This file holds the best way and one step off it. To go anywhere: dynarc view FILE --page");
  }
}

function refuse(message) {
  throw new Failure(message);
}

export async function connect() {
  const data = document.getElementById("data");
  if (!data) return new Server();
  const packed = Uint8Array.from(atob(data.content.textContent.trim()), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new InFile(JSON.parse(await new Response(stream).text()));
}
