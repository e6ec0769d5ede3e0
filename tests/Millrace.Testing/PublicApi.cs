using System.Reflection;
using System.Text;

namespace Millrace.Testing;

/// <summary>The public API of an assembly as text, one member a line, sorted.</summary>
public static class PublicApi
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance
        | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext Nullability = new();

    public static string Render(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (Type type in assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Kind(type)).Append(' ').Append(type.FullName).Append(Bases(type))
                .Append(Constraints(type.GetGenericArguments())).Append('\n');
            foreach (string member in Members(type).Order(StringComparer.Ordinal))
            {
                text.Append("    ").Append(member).Append('\n');
            }
        }

        return text.ToString();
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
        {
            return Enum.GetNames(type).Select(name => $"{name} = {Convert.ToInt64(Enum.Parse(type, name))}");
        }

        return type.GetConstructors(Declared).Where(IsVisible).Select(Constructor)
            .Concat(type.GetFields(Declared).Where(IsVisible).Select(Field))
            .Concat(type.GetProperties(Declared).Where(IsVisible).Select(Property))
            .Concat(type.GetEvents(Declared).Where(found => IsVisible(found.AddMethod!)).Select(Event))
            .Concat(type.GetMethods(Declared).Where(method => IsVisible(method) && !IsAccessor(method)).Select(Method));
    }

    private static bool IsVisible(MethodBase method) =>
        method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsVisible(FieldInfo field) => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly;

    private static bool IsVisible(PropertyInfo property) =>
        property.GetAccessors(nonPublic: true).Any(IsVisible);

    private static string Event(EventInfo found) => $"event {Name(found.EventHandlerType!)} {found.Name}";

    private static bool IsAccessor(MethodInfo method) =>
        method.IsSpecialName && !method.Name.StartsWith("op_", StringComparison.Ordinal);

    private static string Kind(Type type) =>
        type.IsEnum ? "enum"
        : type.IsInterface ? "interface"
        : typeof(Delegate).IsAssignableFrom(type) ? "delegate"
        : type.IsValueType ? "readonly struct".Substring(IsReadOnly(type) ? 0 : "readonly ".Length)
        : (type.IsAbstract, type.IsSealed) switch
        {
            (true, true) => "static class",
            (true, false) => "abstract class",
            (false, true) => "sealed class",
            _ => "class",
        };

    private static bool IsReadOnly(Type type) => HasAttribute(type, "IsReadOnlyAttribute");

    private static bool HasAttribute(Type type, string name) => type.GetCustomAttributesData()
        .Any(attribute => string.Equals(attribute.AttributeType.Name, name, StringComparison.Ordinal));

    private static string Bases(Type type)
    {
        if (type.IsEnum || type.IsInterface)
        {
            return "";
        }

        Type? above = type.BaseType == typeof(object) || type.BaseType == typeof(ValueType) ? null : type.BaseType;

        // Only interfaces that a user can see and that the base class does not have anyway.
        IEnumerable<string> names = type.GetInterfaces()
            .Where(candidate => candidate.IsVisible)
            .Except(above?.GetInterfaces() ?? [])
            .Select(Name)
            .Order(StringComparer.Ordinal);
        string all = string.Join(", ", above is null ? names : names.Prepend(Name(above)));
        return all.Length == 0 ? "" : $" : {all}";
    }

    private static string Constructor(ConstructorInfo constructor) =>
        $"{Access(constructor)}new({Parameters(constructor)})";

    private static string Field(FieldInfo field) => field.IsLiteral
        ? $"const {Name(field.FieldType)} {field.Name} = {field.GetRawConstantValue()}"
        : $"{(field.IsStatic ? "static " : "")}{Name(field.FieldType)} {field.Name}";

    private static string Property(PropertyInfo property)
    {
        MethodInfo accessor = property.GetMethod ?? property.SetMethod!;
        string get = property.GetMethod is { } getter && IsVisible(getter) ? " get;" : "";
        string set = property.SetMethod is { } setter && IsVisible(setter) ? IsInit(setter) ? " init;" : " set;" : "";
        string name = Name(property.PropertyType)
            + Question(Nullability.Create(property).ReadState, property.PropertyType);
        return $"{Access(accessor)}{Modifier(accessor)}{name} {property.Name} {{{get}{set} }}";
    }

    private static bool IsInit(MethodInfo setter) => setter.ReturnParameter.GetRequiredCustomModifiers()
        .Any(modifier => string.Equals(modifier.Name, "IsExternalInit", StringComparison.Ordinal));

    private static string Method(MethodInfo method)
    {
        string result = Name(method.ReturnType)
            + Question(Nullability.Create(method.ReturnParameter).ReadState, method.ReturnType);
        Type[] types = method.GetGenericArguments();
        string generic = types.Length == 0 ? "" : $"<{string.Join(", ", types.Select(Name))}>";
        return $"{Access(method)}{Modifier(method)}{result} {method.Name}{generic}({Parameters(method)}){Constraints(types)}";
    }

    // Those that there are here; another kind would have to be added.
    private static string Constraints(Type[] types) => string.Concat(
        types.Where(type => HasAttribute(type, "IsUnmanagedAttribute")).Select(type => $" where {type.Name} : unmanaged"));

    private static string Access(MethodBase method) => method.IsPublic ? "" : "protected ";

    private static string Modifier(MethodInfo method) =>
        method.IsStatic ? "static "
        : method.IsAbstract ? "abstract "
        : method.GetBaseDefinition() != method ? "override "
        : method is { IsVirtual: true, IsFinal: false } ? "virtual "
        : "";

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        bool byReference = parameter.ParameterType.IsByRef;
        Type type = byReference ? parameter.ParameterType.GetElementType()! : parameter.ParameterType;
        string passing = !byReference ? "" : parameter.IsOut ? "out " : parameter.IsIn ? "in " : "ref ";
        string question = Question(Nullability.Create(parameter).WriteState, type);
        string value = parameter.HasDefaultValue ? $" = {parameter.RawDefaultValue ?? "default"}" : "";
        return $"{passing}{Name(type)}{question} {parameter.Name}{value}";
    }

    // The context marks a type parameter as nullable, with and without a question mark.
    private static string Question(NullabilityState state, Type type) =>
        state == NullabilityState.Nullable && type is { IsValueType: false, IsGenericParameter: false } ? "?" : "";

    private static string Name(Type type)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return $"{Name(underlying)}?";
        }

        if (type.IsArray)
        {
            return $"{Name(type.GetElementType()!)}[]";
        }

        if (type.IsGenericType || (type.IsNested && !type.IsGenericParameter))
        {
            return QualifiedName(type);
        }

        return Type.GetTypeCode(type) switch
        {
            TypeCode.Boolean => "bool",
            TypeCode.Byte => "byte",
            TypeCode.Int32 when !type.IsEnum => "int",
            TypeCode.Int64 when !type.IsEnum => "long",
            TypeCode.String => "string",
            _ => type == typeof(void) ? "void" : type == typeof(object) ? "object" : type.Name,
        };
    }

    // A type within a generic one has the outer one's arguments, before its own if it has any: Outer<T>.Inner<U>.
    private static string QualifiedName(Type type)
    {
        Type[] arguments = type.GetGenericArguments();
        int inherited = 0;
        string outer = "";
        if (type.DeclaringType is { } declaring)
        {
            inherited = declaring.GetGenericArguments().Length;
            outer = $"{QualifiedName(inherited == 0 ? declaring : declaring.MakeGenericType(arguments[..inherited]))}.";
        }

        string name = type.Name.Split('`')[0];
        string own = string.Join(", ", arguments.Skip(inherited).Select(Name));
        return own.Length == 0 ? outer + name : $"{outer}{name}<{own}>";
    }
}
