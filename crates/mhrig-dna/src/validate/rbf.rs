use super::{Check, Scope};
use crate::RbfSolver;

impl Check<'_> {
    pub(super) fn rbf(&mut self) {
        let layer = &self.dna.rbf_behavior;
        let solvers = layer.solvers.len();
        if solvers > 0 || !layer.lod_solver_mapping.lods.is_empty() {
            self.lods("rbfb.lodSolverMapping", &layer.lod_solver_mapping, solvers, "solver");
        }
        for (number, solver) in layer.solvers.iter().enumerate() {
            self.solver(&format!("rbfb.solvers[{number}]"), solver);
        }
        for (number, pose) in layer.poses.iter().enumerate() {
            self.finite(&format!("rbfb.poses[{number}].scale"), &[pose.scale]);
        }
        let ext = &self.dna.rbf_behavior_ext;
        if !ext.poses.is_empty() {
            let lengths = [("rbfe.poses", ext.poses.len()), ("rbfb.poses", layer.poses.len())];
            self.equal_lengths("rbfe.poses", &lengths);
        }
        let first = self.dna.first_pose_control();
        for (number, pose) in ext.poses.iter().enumerate() {
            let path = format!("rbfe.poses[{number}]");
            let lengths = [
                ("outputControlIndices", pose.output_control_indices.len()),
                ("outputControlWeights", pose.output_control_weights.len()),
            ];
            self.equal_lengths(&path, &lengths);
            let inputs = &pose.input_control_indices;
            self.indices(&format!("{path}.inputControlIndices"), inputs, self.control_count, "control");
            let outputs = &pose.output_control_indices;
            self.indices(&format!("{path}.outputControlIndices"), outputs, self.control_count, "control");
            self.finite(&format!("{path}.outputControlWeights"), &pose.output_control_weights);
            if self.scope == Scope::Indices {
                continue;
            }
            if let Some(output) = outputs.iter().find(|&&output| usize::from(output) < first) {
                let message = "a pose writes a control that is not a pose control";
                self.warning(
                    "POSE_OUTPUT",
                    format!("{path}.outputControlIndices"),
                    message,
                    "write pose controls",
                )
                .values(format!("at least {first}"), output);
            }
        }
    }

    fn solver(&mut self, path: &str, solver: &RbfSolver) {
        let raw = self.dna.definition.raw_control_names.len();
        let poses = self.dna.rbf_behavior.poses.len();
        self.indices(&format!("{path}.rawControlIndices"), &solver.raw_control_indices, raw, "raw control");
        self.indices(&format!("{path}.poseIndices"), &solver.pose_indices, poses, "pose");
        self.finite(&format!("{path}.rawControlValues"), &solver.raw_control_values);
        self.finite(&format!("{path}.radius"), &[solver.radius]);
        self.finite(&format!("{path}.weightThreshold"), &[solver.weight_threshold]);
        if self.scope == Scope::Indices {
            return;
        }
        let (controls, poses) = (solver.raw_control_indices.len(), solver.pose_indices.len());
        if solver.raw_control_values.len() != controls * poses {
            let message = "not one value per pose and raw control";
            self.error(
                "RBF_SIZE",
                format!("{path}.rawControlValues"),
                message,
                "store one value per pose and control",
            )
            .values(format!("{poses} × {controls} = {}", poses * controls), solver.raw_control_values.len());
        }
        const EUCLIDEAN: u16 = 0;
        if solver.distance_method != EUCLIDEAN && controls % 4 != 0 {
            let message = "distances of rotations need quaternions as input";
            self.error(
                "RBF_SIZE",
                format!("{path}.rawControlIndices"),
                message,
                "name four controls per rotation",
            )
            .values("a multiple of 4", controls);
        }
        const AUTOMATIC_OFF: u16 = 1;
        if solver.automatic_radius == AUTOMATIC_OFF && solver.radius <= 0.0 {
            self.warning(
                "RBF_RADIUS",
                format!("{path}.radius"),
                "a solver that reaches nothing",
                "set a radius above 0",
            )
            .values("above 0", solver.radius);
        }
        if poses == 0 {
            self.warning("RBF_EMPTY", path, "a solver without poses", "add poses, or remove the solver");
        }
        self.enumeration(format!("{path}.solverType"), solver.solver_type, 1);
        self.enumeration(format!("{path}.automaticRadius"), solver.automatic_radius, 1);
        self.enumeration(format!("{path}.distanceMethod"), solver.distance_method, 3);
        self.enumeration(format!("{path}.normalizeMethod"), solver.normalize_method, 1);
        self.enumeration(format!("{path}.functionType"), solver.function_type, 4);
        self.enumeration(format!("{path}.twistAxis"), solver.twist_axis, 2);
    }
}
