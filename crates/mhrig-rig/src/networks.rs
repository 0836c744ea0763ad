use mhrig_dna::{MachineLearnedBehavior, NeuralNetwork};
use mhrig_report::{Finding, Severity};

use crate::checks::Checks;
use crate::layout::ControlLayout;

/// Neural networks that write ML controls (riglogic.md 5).
#[derive(Clone, Debug, Default)]
pub(crate) struct Networks {
    networks: Vec<Network>,
    /// Network numbers, in evaluation order.
    lods: Vec<Vec<usize>>,
    /// Network numbers per mesh and region.
    regions: Vec<Vec<Vec<usize>>>,
    /// Mesh and region that masks each network first.
    first_regions: Vec<Option<(usize, usize)>>,
    widest: usize,
}

#[derive(Clone, Debug)]
struct Network {
    inputs: Vec<u16>,
    outputs: Vec<u16>,
    layers: Vec<Layer>,
}

/// Weights in blocks of rows (units), column after column within a block.
#[derive(Clone, Debug)]
struct Layer {
    unit_count: usize,
    blocks_of_8: Vec<[f32; 8]>,
    /// The last one to four units, where their number modulo 8 is at most 4.
    block_of_4: Vec<[f32; 4]>,
    biases: Vec<f32>,
    activation: Activation,
}

#[derive(Clone, Copy, Debug)]
enum Activation {
    Linear,
    Relu,
    LeakyRelu { alpha: f32 },
    Tanh,
    Sigmoid,
}

impl Networks {
    pub(crate) fn new(
        checks: &mut Checks,
        behavior: &MachineLearnedBehavior,
        layout: &ControlLayout,
        lod_count: usize,
    ) -> Self {
        let count = behavior.neural_networks.len();
        let networks: Vec<Network> = behavior
            .neural_networks
            .iter()
            .enumerate()
            .filter_map(|(n, network)| {
                Network::new(checks, &format!("mlbh.neuralNetworks[{n}]"), network, layout)
            })
            .collect();
        let mapping = &behavior.lod_neural_network_mapping;
        let lods = checks.members("mlbh.lodNeuralNetworkMapping", mapping, lod_count, count, "network");
        let mut first_regions = vec![None; count];
        let mut regions = Vec::new();
        for (mesh, of_mesh) in behavior.neural_network_to_mesh_region.indices.iter().enumerate() {
            let mut regions_of_mesh = Vec::new();
            for (region, of_region) in of_mesh.iter().enumerate() {
                let path = || format!("mlbh.neuralNetworkToMeshRegion.indices[{mesh}][{region}]");
                checks.indices(path, of_region, count, "network");
                let members: Vec<usize> =
                    of_region.iter().map(|&n| usize::from(n)).filter(|&n| n < count).collect();
                for &network in &members {
                    first_regions[network].get_or_insert((mesh, region));
                }
                regions_of_mesh.push(members);
            }
            regions.push(regions_of_mesh);
        }
        let widths = networks.iter().flat_map(|network| {
            network.layers.iter().map(|layer| layer.unit_count).chain([network.inputs.len()])
        });
        let widest = widths.max().unwrap_or(0);
        Self { networks, lods, regions, first_regions, widest }
    }

    pub(crate) fn len(&self) -> usize {
        self.networks.len()
    }

    /// Networks of a region of a mesh.
    pub(crate) fn of_region(&self, mesh: usize, region: usize) -> Option<&[usize]> {
        Some(self.regions.get(mesh)?.get(region)?)
    }

    /// The region whose mask a network obeys where masks belong to regions.
    pub(crate) fn first_region(&self, network: usize) -> Option<(usize, usize)> {
        *self.first_regions.get(network)?
    }

    /// Length of each of the two scratch buffers of [`Networks::evaluate`].
    pub(crate) fn scratch_len(&self) -> usize {
        self.widest
    }

    /// Controls that a network reads.
    pub(crate) fn inputs(&self, network: usize) -> &[u16] {
        &self.networks[network].inputs
    }

    /// Controls that a network writes.
    pub(crate) fn outputs(&self, network: usize) -> &[u16] {
        &self.networks[network].outputs
    }

    /// Numbers of inputs and outputs of a network.
    pub(crate) fn widths(&self, network: usize) -> (usize, usize) {
        (self.inputs(network).len(), self.outputs(network).len())
    }

    /// The outputs of one network, unmasked.
    pub(crate) fn run<'a>(
        &self,
        network: usize,
        inputs: impl Iterator<Item = f32>,
        scratch: &'a mut [Vec<f32>; 2],
    ) -> &'a [f32] {
        self.networks[network].run(inputs, scratch)
    }

    /// Runs the networks of `lod` on `controls`; `masks` has one entry per network.
    pub(crate) fn evaluate(
        &self,
        lod: usize,
        masks: &[f32],
        controls: &mut [f32],
        scratch: &mut [Vec<f32>; 2],
    ) {
        let Some(active) = self.lods.get(lod) else { return };
        for &number in active {
            let (network, mask) = (&self.networks[number], masks[number]);
            if mask == 0.0 {
                for &output in &network.outputs {
                    controls[usize::from(output)] = 0.0;
                }
                continue;
            }
            let inputs = network.inputs.iter().map(|&input| controls[usize::from(input)]);
            let result = network.run(inputs, scratch);
            for (&output, value) in network.outputs.iter().zip(result) {
                controls[usize::from(output)] = value * mask;
            }
        }
    }
}

impl Network {
    fn new(checks: &mut Checks, path: &str, network: &NeuralNetwork, layout: &ControlLayout) -> Option<Self> {
        let mut is_good = checks.indices(
            || format!("{path}.inputIndices"),
            &network.input_indices,
            layout.len(),
            "control",
        );
        is_good &= checks.indices(
            || format!("{path}.outputIndices"),
            &network.output_indices,
            layout.len(),
            "control",
        );
        if network.layers.is_empty() {
            let message = "the network has no layer";
            let remedy = "remove the network, or write its layers";
            checks.error(Finding::new("NETWORK_LAYERS", Severity::Error, path, message, remedy));
            return None;
        }
        let mut width = network.input_indices.len();
        let mut layers = Vec::with_capacity(network.layers.len());
        for (l, layer) in network.layers.iter().enumerate() {
            let path = format!("{path}.layers[{l}]");
            let units = layer.biases.len();
            let expected = units.saturating_mul(width);
            is_good &= checks.length(|| format!("{path}.weights"), expected, layer.weights.len());
            is_good &= checks.finite(|| format!("{path}.weights"), &layer.weights);
            is_good &= checks.finite(|| format!("{path}.biases"), &layer.biases);
            is_good &= checks
                .finite(|| format!("{path}.activationFunction.parameters"), &layer.activation_parameters);
            let alpha = layer.activation_parameters.first().copied();
            if layer.activation_function == 2 && alpha.is_none() {
                is_good &= checks.length(|| format!("{path}.activationFunction.parameters"), 1, 0);
            }
            let choices = [
                Activation::Linear,
                Activation::Relu,
                Activation::LeakyRelu { alpha: alpha.unwrap_or(0.0) },
                Activation::Tanh,
                Activation::Sigmoid,
            ];
            let id_path = || format!("{path}.activationFunction.functionId");
            let activation = checks.choice(id_path, layer.activation_function, &choices);
            is_good &= activation.is_some();
            if let (true, Some(activation)) = (is_good, activation) {
                layers.push(Layer::new(width, &layer.weights, &layer.biases, activation));
            }
            width = units;
        }
        is_good &= checks.length(|| format!("{path}.outputIndices"), width, network.output_indices.len());
        is_good.then(|| Self {
            inputs: network.input_indices.clone(),
            outputs: network.output_indices.clone(),
            layers,
        })
    }

    fn run<'a>(&self, inputs: impl Iterator<Item = f32>, scratch: &'a mut [Vec<f32>; 2]) -> &'a [f32] {
        let [mut from, mut to] = scratch.each_mut();
        for (slot, input) in from.iter_mut().zip(inputs) {
            *slot = input;
        }
        let mut width = self.inputs.len();
        for layer in &self.layers {
            layer.run(&from[..width], &mut to[..layer.unit_count]);
            width = layer.unit_count;
            std::mem::swap(&mut from, &mut to);
        }
        &from[..width]
    }
}

impl Layer {
    /// `weights`: `biases.len() × width`, row after row.
    fn new(width: usize, weights: &[f32], biases: &[f32], activation: Activation) -> Self {
        let unit_count = biases.len();
        // Units are padded to a multiple of four; what is left over from blocks of eight is one block of four.
        let padded = unit_count.next_multiple_of(4);
        let in_eights = padded - padded % 8;
        let weight = |unit: usize, column: usize| {
            if unit < unit_count { weights[unit * width + column] } else { 0.0 }
        };
        let starts = (0..in_eights).step_by(8);
        let columns = |start| (0..width).map(move |column| (start, column));
        Self {
            unit_count,
            blocks_of_8: starts
                .flat_map(columns)
                .map(|(start, column)| std::array::from_fn(|r| weight(start + r, column)))
                .collect(),
            block_of_4: (0..if padded > in_eights { width } else { 0 })
                .map(|column| std::array::from_fn(|r| weight(in_eights + r, column)))
                .collect(),
            biases: biases.to_vec(),
            activation,
        }
    }

    fn run(&self, inputs: &[f32], outputs: &mut [f32]) {
        let width = inputs.len();
        let biases = self.biases.chunks(8);
        for (block, (outputs, biases)) in outputs.chunks_mut(8).zip(biases).enumerate() {
            let columns = self.blocks_of_8.get(block * width..(block + 1) * width);
            let sums: [f32; 8] = match columns {
                Some(columns) if width > 0 => {
                    let [a, b, c, d] = accumulate::<8, 4>(columns, inputs);
                    std::array::from_fn(|r| (a[r] + c[r]) + (b[r] + d[r]))
                }
                _ => {
                    let a = accumulate::<4, 8>(&self.block_of_4, inputs);
                    let sum = |r: usize| {
                        ((a[0][r] + a[1][r]) + (a[2][r] + a[3][r]))
                            + ((a[4][r] + a[5][r]) + (a[6][r] + a[7][r]))
                    };
                    std::array::from_fn(|r| if r < 4 { sum(r) } else { 0.0 })
                }
            };
            for ((output, sum), bias) in outputs.iter_mut().zip(sums).zip(biases) {
                *output = self.activation.apply(sum + bias);
            }
        }
    }
}

/// `K` partial sums over the columns, one for each residue of the column number; columns beyond the last
/// multiple of `K` are summed apart and added to the first. That order gives the reference's bits.
#[inline]
fn accumulate<const R: usize, const K: usize>(columns: &[[f32; R]], inputs: &[f32]) -> [[f32; R]; K] {
    let mut sums = [[0.0; R]; K];
    let (column_chunks, input_chunks) = (columns.chunks_exact(K), inputs.chunks_exact(K));
    let rest = column_chunks.remainder().iter().zip(input_chunks.remainder());
    for (columns, inputs) in column_chunks.zip(input_chunks) {
        for k in 0..K {
            for r in 0..R {
                sums[k][r] += columns[k][r] * inputs[k];
            }
        }
    }
    let mut apart = [0.0; R];
    for (column, input) in rest {
        for r in 0..R {
            apart[r] += column[r] * input;
        }
    }
    for r in 0..R {
        sums[0][r] += apart[r];
    }
    sums
}

impl Activation {
    fn apply(self, value: f32) -> f32 {
        match self {
            Self::Linear => value,
            Self::Relu => {
                if value < 0.0 {
                    0.0
                } else {
                    value
                }
            }
            Self::LeakyRelu { alpha } => {
                if value < 0.0 {
                    alpha * value
                } else {
                    value
                }
            }
            Self::Tanh => value.tanh(),
            Self::Sigmoid => 1.0 / (1.0 + (-value).exp()),
        }
    }
}
