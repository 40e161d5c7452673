"""The resources that our own code names, as addresses: what a URL and a client need, without the schema.

A :class:`Resource` is what discovery would tell; the full declaration (schema, columns, rules) is the ``Kind`` in
``kinds/``. Code that handles any kind takes a ``Resource`` as an argument; code that means pods writes ``PODS``.
"""

from __future__ import annotations

from typing import NamedTuple


class Resource(NamedTuple):
    """One resource of one served version."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """``v1`` or ``batch/v1``: the ``apiVersion`` of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_resource(self) -> str:
        """``pods`` or ``jobs.batch``: the name in error messages."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The URL path of a collection, an object or a subresource."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        parts = [root]
        if namespace and self.namespaced:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        parts += [part for part in (name, subresource) if part]
        return "/".join(parts)


NAMESPACES = Resource("", "v1", "namespaces", "Namespace", False)
NODES = Resource("", "v1", "nodes", "Node", False)
PODS = Resource("", "v1", "pods", "Pod")
SERVICES = Resource("", "v1", "services", "Service")
ENDPOINTS = Resource("", "v1", "endpoints", "Endpoints")
ENDPOINT_SLICES = Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice")
NETWORK_POLICIES = Resource("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy")
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
SECRETS = Resource("", "v1", "secrets", "Secret")
SERVICE_ACCOUNTS = Resource("", "v1", "serviceaccounts", "ServiceAccount")
CLAIMS = Resource("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
VOLUMES = Resource("", "v1", "persistentvolumes", "PersistentVolume", False)
EVENTS = Resource("", "v1", "events", "Event")
CRON_JOBS = Resource("batch", "v1", "cronjobs", "CronJob")
JOBS = Resource("batch", "v1", "jobs", "Job")
JOB_SETS = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")
TRAIN_JOBS = Resource("trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob")
TRAINING_RUNTIMES = Resource("trainer.kubeflow.org", "v1alpha1", "trainingruntimes", "TrainingRuntime")
CLUSTER_TRAINING_RUNTIMES = Resource(
    "trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", "ClusterTrainingRuntime", False
)
PYTORCH_JOBS = Resource("kubeflow.org", "v1", "pytorchjobs", "PyTorchJob")
TF_JOBS = Resource("kubeflow.org", "v1", "tfjobs", "TFJob")
MPI_JOBS = Resource("kubeflow.org", "v1", "mpijobs", "MPIJob")
XGBOOST_JOBS = Resource("kubeflow.org", "v1", "xgboostjobs", "XGBoostJob")
JAX_JOBS = Resource("kubeflow.org", "v1", "jaxjobs", "JAXJob")
PADDLE_JOBS = Resource("kubeflow.org", "v1", "paddlejobs", "PaddleJob")
CRDS = Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False)
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease")
LIMIT_RANGES = Resource("", "v1", "limitranges", "LimitRange")
RESOURCE_QUOTAS = Resource("", "v1", "resourcequotas", "ResourceQuota")
PRIORITY_CLASSES = Resource("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", False)
EVENTS_V1 = Resource("events.k8s.io", "v1", "events", "Event")
STORAGE_CLASSES = Resource("storage.k8s.io", "v1", "storageclasses", "StorageClass", False)
ROLES = Resource("rbac.authorization.k8s.io", "v1", "roles", "Role")
ROLE_BINDINGS = Resource("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding")
CLUSTER_ROLES = Resource("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", False)
CLUSTER_ROLE_BINDINGS = Resource("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", False)
COSCHEDULING_POD_GROUPS = Resource("scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup")
VOLCANO_POD_GROUPS = Resource("scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup")

KUEUE = "kueue.x-k8s.io"
ADMISSION_CHECKS = Resource(KUEUE, "v1beta2", "admissionchecks", "AdmissionCheck", False)
CLUSTER_QUEUES = Resource(KUEUE, "v1beta2", "clusterqueues", "ClusterQueue", False)
COHORTS = Resource(KUEUE, "v1beta2", "cohorts", "Cohort", False)
LOCAL_QUEUES = Resource(KUEUE, "v1beta2", "localqueues", "LocalQueue")
RESOURCE_FLAVORS = Resource(KUEUE, "v1beta2", "resourceflavors", "ResourceFlavor", False)
TOPOLOGIES = Resource(KUEUE, "v1beta2", "topologies", "Topology", False)
WORKLOADS = Resource(KUEUE, "v1beta2", "workloads", "Workload")
WORKLOAD_PRIORITY_CLASSES = Resource(KUEUE, "v1beta2", "workloadpriorityclasses", "WorkloadPriorityClass", False)
DATA_SCIENCE_CLUSTERS = Resource(
    "datasciencecluster.opendatahub.io", "v2", "datascienceclusters", "DataScienceCluster", False
)
DATA_SCIENCE_CLUSTERS_V1 = DATA_SCIENCE_CLUSTERS._replace(version="v1")
JOB_SET_OPERATORS = Resource("operator.openshift.io", "v1", "jobsetoperators", "JobSetOperator", False)
KUEUE_OPERATORS = Resource("kueue.openshift.io", "v1", "kueues", "Kueue", False)
PROJECTS = Resource("project.openshift.io", "v1", "projects", "Project", False)
ROUTES = Resource("route.openshift.io", "v1", "routes", "Route")
AUTOSCALERS = Resource("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler")
DISRUPTION_BUDGETS = Resource("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget")
