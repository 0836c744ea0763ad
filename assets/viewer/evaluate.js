"use strict";
// Evaluates one part of a character: sliders to raw controls, correctives, joints and blend shape weights, vertices.
// Knows nothing of a page. Matrices are 12 numbers: three rows of a linear part and a translation.

const ARRAYS = { Int16Array, Int32Array, Uint16Array, Uint32Array, Float32Array, Float64Array };

/** The bytes of a base64 text. */
function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes.buffer;
}

function multiply(a, b, out) {
  for (let row = 0; row < 12; row += 4) {
    for (let column = 0; column < 4; column++) {
      let sum = column === 3 ? a[row + 3] : 0;
      for (let k = 0; k < 3; k++) sum += a[row + k] * b[4 * k + column];
      out[row + column] = sum;
    }
  }
  return out;
}

/** The inverse of a rotation and a translation. */
function inverseOfRigid(m) {
  const out = new Float64Array(12);
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) out[4 * row + column] = m[4 * column + row];
    out[4 * row + 3] = -(m[row] * m[3] + m[4 + row] * m[7] + m[8 + row] * m[11]);
  }
  return out;
}

/** The Hamilton product; quaternions are [x, y, z, w]. */
function product([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** The quaternion of angles in degrees; `order` says which axis turns first. */
function quaternionOf(angles, order) {
  let result = [0, 0, 0, 1];
  for (const name of order) {
    const axis = "xyz".indexOf(name);
    const half = (angles[axis] * Math.PI) / 360;
    const turn = [0, 0, 0, Math.cos(half)];
    turn[axis] = Math.sin(half);
    result = product(turn, result);
  }
  return result;
}

/** Multiplies the linear part of `m` by a rotation and a scale from the right. */
function turnAndScale(m, [x, y, z, w], scale) {
  const rotation = [
    1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
    2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
    2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
  ];
  for (let row = 0; row < 12; row += 4) {
    const [a, b, c] = [m[row], m[row + 1], m[row + 2]];
    for (let column = 0; column < 3; column++) {
      m[row + column] = (a * rotation[column] + b * rotation[3 + column] + c * rotation[6 + column]) * scale[column];
    }
  }
}

/** Rows `output += slope · input + cut` for inputs in a range; of consecutive rows of one pair the first that holds. */
class Table {
  constructor(table, array) {
    for (const name of ["inputs", "outputs", "from", "to", "slopes", "cuts"]) this[name] = array(table[name]);
  }

  evaluate(inputs, outputs, count) {
    outputs.fill(0, 0, count);
    for (let row = 0; row < this.inputs.length; row++) {
      const [input, output] = [this.inputs[row], this.outputs[row]];
      const value = Math.fround(inputs[input]);
      const from = Math.min(this.from[row], this.to[row]);
      const to = Math.max(this.from[row], this.to[row]);
      if (!(from <= value && value <= to)) continue;
      outputs[output] += this.slopes[row] * value + this.cuts[row];
      while (this.inputs[row + 1] === input && this.outputs[row + 1] === output) row++;
    }
    for (let at = 0; at < count; at++) outputs[at] = Math.min(1, Math.max(0, outputs[at]));
  }
}

/** One part: its joints and meshes, and, where it has sliders, what they do. Joints that `leader` has too go with it. */
class Part {
  constructor(description, buffer, leader) {
    const array = ([kind, start, count]) => new ARRAYS[kind](buffer, start, count);
    this.kind = description.kind;
    const joints = description.joints;
    this.jointNames = joints.names;
    this.parents = array(joints.parents);
    this.order = array(joints.order);
    this.translations = array(joints.translations);
    this.rotations = array(joints.rotations);
    this.world = this.jointNames.map(() => new Float64Array(12));
    this.skinMaps = this.jointNames.map(() => new Float64Array(12));
    this.deltas = new Float64Array(this.jointNames.length * 9);
    this.deltas.fill(0);
    this.turns = new Map();
    // In the axes of the file first, for what undoes the rest pose; then with +Y up.
    this.upright = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
    this.pose();
    this.fromRest = this.world.map(inverseOfRigid);
    this.atRest = this.world.map((joint) => joint.slice());
    const leading = new Map((leader?.jointNames ?? []).map((name, joint) => [name, joint]));
    this.leaders = this.jointNames.map((name) => leader?.skinMaps[leading.get(name)]);
    if (description.up === "z") this.upright = Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0);
    this.meshes = description.meshes.map((mesh) => ({
      name: mesh.name,
      number: mesh.number,
      look: mesh.look,
      rest: array(mesh.positions),
      triangles: array(mesh.triangles),
      skin: mesh.skin && Object.fromEntries(Object.entries(mesh.skin).map(([name, at]) => [name, array(at)])),
      targets: mesh.targets && Object.fromEntries(Object.entries(mesh.targets).map(([name, at]) => [name, array(at)])),
      positions: new Float32Array(mesh.positions[2]),
    }));
    if (description.face) this.openFace(description.face, array);
    this.evaluate();
  }

  openFace(face, array) {
    this.sliders = face.sliders;
    this.values = new Float64Array(face.sliders.length);
    this.rawCount = face.raw.length;
    this.rawNames = face.raw;
    this.controls = new Float64Array(face.controls);
    this.rows = new Table(face.rows, array);
    this.held = { controls: array(face.heldControls), values: array(face.heldValues) };
    const arrays = (object) =>
      Object.fromEntries(
        Object.entries(object).map(([name, own]) => [name, typeof own === "number" ? own : array(own)]),
      );
    this.correctives = arrays(face.correctives);
    this.channels = arrays(face.channels);
    this.weights = new Float64Array(this.channels.count);
    const { order, signs, quaternions, ...cells } = face.joints;
    this.jointCells = { order, signs, ...arrays(cells) };
    this.quaternions = quaternions.map(({ joint, ...own }) => ({ joint, ...arrays(own) }));
    this.mapNames = face.maps.names;
    this.maps = new Float64Array(this.mapNames.length);
    this.mapRows = new Table(face.maps.rows, array);
  }

  /** Everything from the sliders to the vertices; of two parts the leader has to be first. */
  evaluate() {
    if (this.sliders) {
      this.rows.evaluate(this.values, this.controls, this.rawCount);
      this.held.controls.forEach((control, at) => (this.controls[control] = this.held.values[at]));
      this.evaluateCorrectives();
      this.evaluateJoints();
      this.weights.fill(0);
      const { inputs, outputs } = this.channels;
      inputs.forEach((input, row) => (this.weights[outputs[row]] = this.controls[input]));
      this.mapRows.evaluate(this.controls, this.maps, this.maps.length);
    }
    this.pose();
    for (const mesh of this.meshes) this.deform(mesh);
  }

  evaluateCorrectives() {
    const { first, ends, inputs, weights } = this.correctives;
    // One that reads another sees what that was the time before: until nothing changes any more.
    for (let pass = 0, changes = true; changes && pass < 8; pass++) {
      const clamped = this.controls.map((value) => Math.min(1, Math.max(0, value)));
      changes = false;
      for (let corrective = 0, at = 0; corrective < ends.length; corrective++) {
        let value = weights[corrective];
        for (; at < ends[corrective]; at++) value *= clamped[inputs[at]];
        value = Math.min(1, value);
        changes ||= value !== this.controls[first + corrective];
        this.controls[first + corrective] = value;
      }
    }
  }

  evaluateJoints() {
    const { outputs, ends, inputs, values } = this.jointCells;
    this.deltas.fill(0);
    for (let row = 0, at = 0; row < outputs.length; row++) {
      let sum = 0;
      for (; at < ends[row]; at++) sum += values[at] * this.controls[inputs[at]];
      this.deltas[outputs[row]] = sum;
    }
    for (const { joint, inputs, factors } of this.quaternions) {
      let rotation = [0, 0, 0, 1];
      inputs.forEach((input, column) => {
        const weight = this.controls[input];
        const [x, y, z, w] = factors.subarray(4 * column, 4 * column + 4);
        const shortWay = w >= 0 ? 1 : -1;
        const share = [x * weight, y * weight, z * weight, w * weight + shortWay * (1 - weight)];
        const length = Math.hypot(...share);
        rotation = product(share.map((value) => value / length), rotation);
      });
      this.turns.set(joint, rotation);
    }
  }

  /** World transforms of all joints, and what they do to the skin. */
  pose() {
    const local = new Float64Array(12);
    for (const joint of this.order) {
      const led = this.leaders?.[joint];
      if (led) {
        multiply(led, this.atRest[joint], this.world[joint]);
        this.skinMaps[joint].set(led);
        continue;
      }
      const delta = this.deltas.subarray(joint * 9, joint * 9 + 9);
      for (let row = 0; row < 3; row++) {
        for (let column = 0; column < 3; column++) local[4 * row + column] = this.rotations[joint * 9 + 3 * column + row];
        local[4 * row + 3] = this.translations[joint * 3 + row] + delta[row];
      }
      const turn = this.turns.get(joint);
      if (turn || delta.subarray(3).some((value) => value !== 0)) {
        const { order, signs } = this.jointCells ?? { order: "xyz", signs: [1, 1, 1] };
        const angles = [0, 1, 2].map((axis) => delta[3 + axis] * signs[axis]);
        turnAndScale(local, turn ?? quaternionOf(angles, order), [1 + delta[6], 1 + delta[7], 1 + delta[8]]);
      }
      const parent = this.parents[joint];
      multiply(parent < 0 ? this.upright : this.world[parent], local, this.world[joint]);
      if (this.fromRest) multiply(this.world[joint], this.fromRest[joint], this.skinMaps[joint]);
    }
  }

  /** Vertices of a mesh: blend shapes, then skin. */
  deform(mesh) {
    const out = mesh.positions;
    out.set(mesh.rest);
    if (!mesh.skin) {
      for (let at = 0; at < out.length; at += 3) this.place(this.upright, out, at);
      return;
    }
    if (mesh.targets) this.addTargets(mesh.targets, out);
    const { ends, joints, weights } = mesh.skin;
    const blend = new Float64Array(12);
    for (let vertex = 0, at = 0; vertex < ends.length; vertex++) {
      blend.fill(0);
      for (; at < ends[vertex]; at++) {
        const [map, weight] = [this.skinMaps[joints[at]], weights[at]];
        for (let k = 0; k < 12; k++) blend[k] += map[k] * weight;
      }
      this.place(blend, out, vertex * 3);
    }
  }

  addTargets({ channels, counts, steps, vertices, deltas }, out) {
    for (let target = 0, at = 0; target < channels.length; at += counts[target++]) {
      const weight = this.weights[channels[target]] * steps[target];
      if (weight === 0) continue;
      for (let own = at; own < at + counts[target]; own++) {
        const to = vertices[own] * 3;
        for (let axis = 0; axis < 3; axis++) out[to + axis] += deltas[own * 3 + axis] * weight;
      }
    }
  }

  place(map, out, at) {
    const [x, y, z] = [out[at], out[at + 1], out[at + 2]];
    for (let row = 0; row < 3; row++) {
      out[at + row] = map[4 * row] * x + map[4 * row + 1] * y + map[4 * row + 2] * z + map[4 * row + 3];
    }
  }
}

/** The parts of a page. The last one leads the joints that it shares with others. */
function openParts(description, buffer) {
  const leader = new Part(description.parts.at(-1), buffer);
  return [...description.parts.slice(0, -1).map((part) => new Part(part, buffer, leader)), leader];
}
