// Command manifests reads manifests of Kubernetes as its API server does: strictly, with its defaults, its validation and
// its judgement of pods by the standard "restricted". It prints what is refused, and ends with 1 then.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/pod-security-admission/api"
	podsecurity "k8s.io/pod-security-admission/policy"
)

// validated returns what the API server refuses of an object, and the pods that it makes.
func validated(object runtime.Object) (field.ErrorList, *core.PodTemplateSpec) {
	switch one := object.(type) {
	case *core.Namespace:
		return corevalidation.ValidateNamespace(one), nil
	case *core.Service:
		return corevalidation.ValidateServiceCreate(one), nil
	case *core.PersistentVolumeClaim:
		return corevalidation.ValidatePersistentVolumeClaim(one, corevalidation.PersistentVolumeClaimSpecValidationOptions{}), nil
	case *apps.Deployment:
		return appsvalidation.ValidateDeployment(one, corevalidation.PodValidationOptions{}), &one.Spec.Template
	case *apps.StatefulSet:
		options := appsvalidation.StatefulSetValidationOptions{}
		return appsvalidation.ValidateStatefulSet(one, options, corevalidation.PodValidationOptions{}), &one.Spec.Template
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(one, policyvalidation.PodDisruptionBudgetValidationOptions{}), nil
	case *networking.NetworkPolicy:
		return networkingvalidation.ValidateNetworkPolicy(one, networkingvalidation.NetworkPolicyValidationOptions{}), nil
	default:
		return field.ErrorList{field.InternalError(nil, fmt.Errorf("nobody validates a %T here", object))}, nil
	}
}

// restricted returns why pods do not meet the standard.
func restricted(template *core.PodTemplateSpec) error {
	var pod corev1.PodTemplateSpec
	if err := corev1conversion.Convert_core_PodTemplateSpec_To_v1_PodTemplateSpec(template, &pod, nil); err != nil {
		return err
	}
	evaluator, err := podsecurity.NewEvaluator(podsecurity.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	result := podsecurity.AggregateCheckResults(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec))
	if result.Allowed {
		return nil
	}
	return errors.New(result.ForbiddenDetail())
}

func check(document []byte) error {
	codecs := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)
	object, kind, err := codecs.UniversalDecoder().Decode(document, nil, nil)
	if err != nil {
		return err
	}
	name := object.(metav1.ObjectMetaAccessor).GetObjectMeta().GetName()
	refused, template := validated(object)
	if err := refused.ToAggregate(); err != nil {
		return fmt.Errorf("%s %s: %w", kind.Kind, name, err)
	}
	if template != nil {
		if err := restricted(template); err != nil {
			return fmt.Errorf("%s %s: %w", kind.Kind, name, err)
		}
	}
	fmt.Println(kind.Kind, name)
	return nil
}

func main() {
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	failed := false
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = check(document)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
