use super::{Check, Scope};
use crate::NeuralNetwork;

impl Check<'_> {
    pub(super) fn networks(&mut self) {
        let layer = &self.dna.machine_learned_behavior;
        let count = layer.neural_networks.len();
        if count > 0 || !layer.lod_neural_network_mapping.lods.is_empty() {
            self.lods(
                "mlbh.lodNeuralNetworkMapping",
                &layer.lod_neural_network_mapping,
                count,
                "neural network",
            );
        }
        let regions = &layer.neural_network_to_mesh_region;
        let path = "mlbh.neuralNetworkToMeshRegion";
        let lengths = [("regionNames", regions.region_names.len()), ("indices", regions.indices.len())];
        self.equal_lengths(path, &lengths);
        for (mesh, (names, indices)) in regions.region_names.iter().zip(&regions.indices).enumerate() {
            let lengths = [("regionNames", names.len()), ("indices", indices.len())];
            self.equal_lengths(&format!("{path}.indices[{mesh}]"), &lengths);
        }
        for (mesh, indices) in regions.indices.iter().enumerate() {
            for (region, networks) in indices.iter().enumerate() {
                let path = format!("{path}.indices[{mesh}][{region}]");
                self.indices(&path, networks, count, "neural network");
            }
        }
        let meshes = self.dna.definition.mesh_names.len();
        let rows = regions.indices.len();
        if rows > 0 && rows != meshes && meshes > 0 {
            self.warning(
                "REGION_MESHES",
                path,
                "not one list of regions per mesh",
                "store one list per mesh",
            )
            .values(meshes, rows);
        }
        for (number, network) in layer.neural_networks.iter().enumerate() {
            self.network(&format!("mlbh.neuralNetworks[{number}]"), network);
        }
    }

    fn network(&mut self, path: &str, network: &NeuralNetwork) {
        self.indices(&format!("{path}.inputIndices"), &network.input_indices, self.control_count, "control");
        self.indices(
            &format!("{path}.outputIndices"),
            &network.output_indices,
            self.control_count,
            "control",
        );
        if self.scope == Scope::Indices {
            return;
        }
        let ml = self.dna.first_ml_control()..self.dna.first_pose_control();
        let is_foreign = |output: &&u16| !ml.contains(&usize::from(**output));
        let foreign = network.output_indices.iter().filter(is_foreign).count();
        if let Some(output) = network.output_indices.iter().find(is_foreign) {
            let message = "a network writes a control that is not a machine-learned one";
            self.warning(
                "NETWORK_OUTPUT",
                format!("{path}.outputIndices"),
                message,
                "write machine-learned controls",
            )
            .values(format!("{} to {}", ml.start, ml.end.saturating_sub(1)), output)
            .count(foreign);
        }
        let mut width = network.input_indices.len();
        for (number, layer) in network.layers.iter().enumerate() {
            let path = format!("{path}.layers[{number}]");
            let units = layer.biases.len();
            if layer.weights.len() != units.saturating_mul(width) {
                let message = "not one weight per unit and input";
                self.error(
                    "NETWORK_SIZE",
                    format!("{path}.weights"),
                    message,
                    "store one row of weights per unit",
                )
                .values(format!("{units} × {width}"), layer.weights.len());
            }
            self.finite(&format!("{path}.biases"), &layer.biases);
            self.finite(&format!("{path}.weights"), &layer.weights);
            self.finite(&format!("{path}.activationFunction.parameters"), &layer.activation_parameters);
            self.enumeration(format!("{path}.activationFunction.functionId"), layer.activation_function, 4);
            const LEAKY_RELU: u16 = 2;
            if layer.activation_function == LEAKY_RELU && layer.activation_parameters.is_empty() {
                let path = format!("{path}.activationFunction.parameters");
                self.warning("NETWORK_PARAMETERS", path, "leaky relu without its slope", "store the slope");
            }
            width = units;
        }
        if width != network.output_indices.len() {
            let message = "the last layer does not have one unit per output";
            self.error("NETWORK_SIZE", format!("{path}.outputIndices"), message, "store one output per unit")
                .values(width, network.output_indices.len());
        }
    }

    /// `mlbe`.
    pub(super) fn operations(&mut self) {
        let layer = &self.dna.machine_learned_behavior_ext;
        let operations = &layer.operations;
        let path = "mlbe.mlbTypeData";
        let lengths = [
            ("lodMLOperationMappings", operations.lod_operation_mappings.len()),
            ("operations", operations.operations.len()),
        ];
        self.equal_lengths(path, &lengths);
        for (number, (mapping, set)) in
            operations.lod_operation_mappings.iter().zip(&operations.operations).enumerate()
        {
            self.lods(&format!("{path}.lodMLOperationMappings[{number}]"), mapping, set.len(), "operation");
        }
        for (set, members) in operations.operations.iter().enumerate() {
            for (number, operation) in members.iter().enumerate() {
                let path = format!("{path}.operations[{set}][{number}]");
                let sets = &operation.set_dependency_indices;
                let numbers = &operation.operation_dependency_indices;
                self.equal_lengths(&path, &[("sets", sets.len()), ("operations", numbers.len())]);
                // Results exist for earlier sets only.
                self.indices(&format!("{path}.mlOperationSetDependencyIndices"), sets, set, "earlier set");
                let limits =
                    sets.iter().map(|&set| operations.operations.get(usize::from(set)).map_or(0, Vec::len));
                for (at, (limit, &number)) in limits.zip(numbers).enumerate() {
                    if usize::from(number) >= limit {
                        let path = format!("{path}.mlOperationDependencyIndices[{at}]");
                        let message = "number of an operation that does not exist";
                        self.error(super::INDEX_RANGE, path, message, "correct the number")
                            .values(format!("below {limit}"), number);
                    }
                }
                const MLP: u16 = 3;
                if operation.operation_type == MLP {
                    let networks = self.dna.machine_learned_behavior.neural_networks.len();
                    self.indices(
                        &format!("{path}.parameters"),
                        &operation.parameters,
                        networks,
                        "neural network",
                    );
                }
                if self.scope == Scope::All {
                    self.enumeration(format!("{path}.operationType"), operation.operation_type, 4);
                }
            }
        }
        let joints = &layer.joints;
        let path = "mlbe.mlbJoints";
        let keys = [
            ("parameterKeys", joints.parameter_keys.len()),
            ("parameterValues", joints.parameter_values.len()),
        ];
        self.equal_lengths(path, &keys);
        let rows =
            [("inputIndices", joints.input_indices.len()), ("outputIndices", joints.output_indices.len())];
        self.equal_lengths(path, &rows);
        self.indices(&format!("{path}.inputIndices"), &joints.input_indices, self.control_count, "control");
        match joints.width() {
            Some(width) => {
                let limit = self.dna.definition.joint_names.len() * usize::from(width);
                self.indices(
                    &format!("{path}.outputIndices"),
                    &joints.output_indices,
                    limit,
                    "joint attribute",
                );
            }
            None if !joints.output_indices.is_empty() => {
                let message = "outputs of joints without a representation";
                self.error("ML_JOINTS", path, message, "store the keys of translation, rotation or scale");
            }
            None => {}
        }
    }
}
